#!/usr/bin/env bash
# title: nginx (disk)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: none
# workloads: many-16k many-100k many-1m
#
# Its cache on the disk, in the page cache of the kernel, sent with sendfile; as quire-disk, on the same
# file system, with the same limit.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

# As root it would run its workers as another user, who cannot write to the folder.
user=
if [ "$(id -u)" = 0 ]; then user='user root;'; fi

# The packaged paths belong to root. nginx creates all of these at the start.
temporary=
for kind in client_body proxy fastcgi uwsgi scgi; do
  temporary+="${kind}_temp_path $folder/$kind; "
done

cat >"$folder/nginx.conf" <<CONF
$user
daemon off;
pid $folder/pid;
error_log $folder/errors.log;
worker_processes auto;
# Connections and, below, files that stay open.
worker_rlimit_nofile 60000;
events { worker_connections 16384; }

http {
  $temporary
  access_log off;
  sendfile on;
  # A head and the start of the body in one packet.
  tcp_nopush on;

  proxy_cache_path $QUIRE_BENCH_DISK/nginx-disk levels=2 keys_zone=site:16m inactive=1h max_size=1g
    use_temp_path=off;
  # A hit does not open its file.
  open_file_cache max=25000 inactive=1h;

  upstream site {
    server 127.0.0.1:$origin_port;
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
    proxy_cache_key \$uri;

    location / { proxy_pass http://site; }
  }
}
CONF
exec nginx -c "$folder/nginx.conf" -e "$folder/errors.log"
