#!/usr/bin/env bash
# title: nginx (SSI)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: ssi
#
# nginx has no ESI: its server side includes do the same work, a subrequest for each fragment, all side
# by side, each through proxy_cache.
set -euo pipefail
mkdir -p "$3/cache" "$3/tmp"
cat >"$3/nginx.conf" <<CONF
daemon off;
pid $3/nginx.pid;
error_log $3/error.log error;
worker_processes auto;
worker_rlimit_nofile 65536;
events { worker_connections 8192; multi_accept on; }
http {
  access_log off;
  server_tokens off;
  tcp_nodelay on;
  # Clients are not made to connect again in the middle of a run.
  keepalive_requests 1000000000;
  keepalive_timeout 65s;
  client_body_temp_path $3/tmp/body;
  proxy_temp_path $3/tmp/proxy;
  fastcgi_temp_path $3/tmp/fastcgi;
  uwsgi_temp_path $3/tmp/uwsgi;
  scgi_temp_path $3/tmp/scgi;
  # The cache lies on tmpfs where there is one, and its files stay open.
  open_file_cache max=60000 inactive=600s;
  open_file_cache_valid 600s;
  proxy_cache_path $3/cache levels=1:2 keys_zone=pages:64m max_size=4g inactive=2h use_temp_path=off;
  upstream origin { server 127.0.0.1:$1; keepalive 256; keepalive_requests 1000000000; }
  server {
    # A socket for each worker spares them the race for one.
    listen 127.0.0.1:$2 backlog=4096 reuseport;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Accept-Encoding "";
    proxy_cache pages;
    proxy_cache_key \$uri;
    proxy_cache_lock on;
    # A page in one buffer, not in eight of 4 KiB.
    proxy_buffers 32 16k;
    ssi_min_file_chunk 1k;
    sendfile on;
    location / { proxy_pass http://origin; }
    location ~ ^/(mine|late-fragment/) { proxy_cache off; proxy_pass http://origin; }
    # Pages are gathered before they are written: postpone_output is what spares system calls here,
    # and sendfile would add one for each piece.
    location ~ ^/((page|personal|late|news)/ssi|fragment)/ {
      ssi on;
      sendfile off;
      output_buffers 2 64k;
      postpone_output 32k;
      proxy_pass http://origin;
    }
    # It compresses each answer anew; the lowest level is the fastest.
    location /packed/ { ssi on; gzip on; gzip_comp_level 1; proxy_pass http://origin; }
  }
}
CONF
# Workers of a master that is root would be another user's, whom the folder does not let in.
[ "$(id -u)" != 0 ] || sed -i '1i user root;' "$3/nginx.conf"
exec nginx -e "$3/error.log" -c "$3/nginx.conf"
