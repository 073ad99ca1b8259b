# Starts PostgreSQL with an empty database; for the scripts of targets.

# start_postgresql PORT FOLDER: in the background, with the user "news"; returns when it is ready.
start_postgresql() {
  local port=$1 folder=$2/postgresql programs as=()
  programs=$(dirname "$(readlink -f "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb | tail -n 1)")")
  mkdir -p "$folder"
  # It refuses to run as root.
  if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chown postgres "$folder"
  fi
  (cd "$folder" && ${as[@]+"${as[@]}"} "$programs/initdb" -D "$folder/data" -A trust -U news -E UTF8 \
    --locale=C --no-sync >"$folder/initdb.log")
  (cd "$folder" && exec ${as[@]+"${as[@]}"} "$programs/postgres" -D "$folder/data" -p "$port" \
    -k "$folder" -c listen_addresses=127.0.0.1) &
  while kill -0 $! && ! "$programs/pg_isready" -q -h 127.0.0.1 -p "$port"; do sleep 0.1; done
}
