#!/usr/bin/env bash
# title: Tomcat
# needs: psql
# package: postgresql
# dialect: none
#
# The sample site on its own Tomcat, with PostgreSQL, without a cache in front. QUIRE_BENCH_OBJECT_CACHE
# is its object cache (none, redis or memcached), on port QUIRE_BENCH_STORE_PORT. QUIRE_BENCH_NEWS has
# further arguments of the site. With QUIRE_BENCH_DATABASE_PORT it uses the database of another site,
# instead of one of its own. A thread for each of a thousand clients, so that the count of requests can
# be read while they wait.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib/postgresql.bash"
port=$2 folder=$3 database_port=${QUIRE_BENCH_DATABASE_PORT:-$4}
kind=${QUIRE_BENCH_OBJECT_CACHE:-none} store_port=${QUIRE_BENCH_STORE_PORT:-0}

trap 'kill $(jobs -p) 2>/dev/null' TERM INT EXIT
if [ -z "${QUIRE_BENCH_DATABASE_PORT:-}" ]; then
  start_postgresql "$database_port" "$folder"
fi
case "$kind" in
  redis)
    redis-server --bind 127.0.0.1 --port "$store_port" --save "" --appendonly no --dir "$folder" \
      --logfile "$folder/redis.log" &
    ;;
  memcached)
    user=()
    [ "$(id -u)" != 0 ] || user=(-u nobody)
    memcached -l 127.0.0.1 -p "$store_port" -m 256 -c 4096 ${user[@]+"${user[@]}"} &
    ;;
esac
# shellcheck disable=SC2086
"$JAVA_HOME/bin/java" -Xmx768m -jar "$QUIRE_ROOT/samples/news/target/quire-news.jar" \
  --server.port="$port" --server.tomcat.accept-count=2048 \
  --server.tomcat.threads.max=1200 \
  --news.database="jdbc:postgresql://127.0.0.1:$database_port/postgres?user=news" \
  --news.feed.running=false --news.object-cache.type="$kind" \
  --news.object-cache.server="127.0.0.1:$store_port" ${QUIRE_BENCH_NEWS:-} &
wait -n
