# Starts nginx as a cache of the origin; for the scripts of targets.

# run_nginx ORIGIN_PORT PORT FOLDER HTTP SERVER: with further lines of the sections http and server.
run_nginx() {
  local origin_port=$1 port=$2 folder=$3 http=$4 server=$5

  # As root it would run its workers as another user, who cannot write to the folder.
  local user=
  if [ "$(id -u)" = 0 ]; then user='user root;'; fi

  # The packaged paths belong to root. nginx creates all of these at the start.
  local kind temporary=
  for kind in client_body proxy fastcgi uwsgi scgi; do
    temporary+="${kind}_temp_path $folder/$kind; "
  done

  # Without a file to open, a worker accepts no connections.
  local files
  files=$(ulimit -Hn)
  if [ "$files" = unlimited ] || [ "$files" -gt 60000 ]; then files=60000; fi

  cat >"$folder/nginx.conf" <<CONF
$user
daemon off;
pid $folder/pid;
error_log $folder/errors.log;
worker_processes auto;
# Connections and, below, files that stay open.
worker_rlimit_nofile $files;
events { worker_connections 16384; }

http {
  $temporary
  access_log off;
  # Room for every object, if the limit allows it, so that a hit does not open its file.
  open_file_cache max=$((files / 2 < 25000 ? files / 2 : 25000)) inactive=1h;
  $http

  upstream site {
    server 127.0.0.1:$origin_port;
    # For all readers of private parts, each served by either worker.
    keepalive 128;
  }

  server {
    # One queue per worker: from a shared one, one worker accepts most connections.
    listen 127.0.0.1:$port reuseport backlog=2048;
    # By default a connection is closed after 1000 requests.
    keepalive_requests 100000000;

    # Both are needed for persistent connections to the origin.
    proxy_http_version 1.1;
    proxy_set_header Connection "";

    proxy_cache site;
    # The default key contains the URI of the client request, which is the same for all parts of a page.
    proxy_cache_key \$uri;
    $server
  }
}
CONF
  exec nginx -c "$folder/nginx.conf" -e "$folder/errors.log"
}
