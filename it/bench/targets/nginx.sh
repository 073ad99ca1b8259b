#!/usr/bin/env bash
# title: nginx (SSI)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: ssi
# tls: nginx
#
# Server side includes replace ESI, which nginx does not support: one subrequest to its own cache per
# fragment, all of a page in parallel.
set -euo pipefail
origin_port=$1 port=$2 folder=$3 tls_port=$4

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

  # The cache: files, but the folder is on tmpfs. The origin sets the freshness lifetime.
  proxy_cache_path $folder/store levels=2 keys_zone=site:16m inactive=1h use_temp_path=off;
  # Room for every article and fragment, so that a hit does not open its file.
  open_file_cache max=25000 inactive=1h;

  upstream site {
    server 127.0.0.1:$origin_port;
    # For all readers of private parts, each served by either worker.
    keepalive 128;
  }

  server {
    # One queue per worker: from a shared one, one worker accepts most connections.
    listen 127.0.0.1:$port reuseport backlog=2048;
    listen 127.0.0.1:$tls_port ssl http2 reuseport backlog=2048;
    ssl_certificate $QUIRE_BENCH_CERTIFICATE;
    ssl_certificate_key $QUIRE_BENCH_KEY;
    ssl_protocols TLSv1.2 TLSv1.3;
    # By default a connection is closed after 1000 requests.
    keepalive_requests 100000000;

    # Both are needed for persistent connections to the origin.
    proxy_http_version 1.1;
    proxy_set_header Connection "";

    proxy_cache site;
    # The default key contains the URI of the client request, which is the same for all parts of a page.
    proxy_cache_key \$uri;

    # Pages and fragments are read into memory and sent in one write; the largest page has 40 KiB.
    output_buffers 1 48k;
    postpone_output 48k;

    # Fragments contain no tags, so only pages are scanned.
    location / { ssi on; proxy_pass http://site; }
    location /fragment/ { proxy_pass http://site; }
    location /object/ { sendfile on; proxy_pass http://site; }
    location /many/ { sendfile on; proxy_pass http://site; }

    # It cannot cache a page compressed: each response is compressed, at the fastest level.
    location /packed/ { ssi on; gzip on; gzip_comp_level 1; proxy_pass http://site; }

    # Uncacheable, so no look-up.
    location = /mine { proxy_cache off; proxy_pass http://site; }
    location /late-fragment/ { proxy_cache off; proxy_pass http://site; }
  }
}
CONF
exec nginx -c "$folder/nginx.conf" -e "$folder/errors.log"
