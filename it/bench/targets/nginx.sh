#!/usr/bin/env bash
# title: nginx (SSI)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: ssi
#
# Its server side includes stand for ESI, which it has not: a subrequest to its own cache for each
# fragment, all of a page at once.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

# As root its workers would be another user's, whom the folder does not let write.
user=
if [ "$(id -u)" = 0 ]; then user='user root;'; fi

# Packaged paths are root's. All of these are made at the start, used or not.
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

  # The store: files, but in memory where the folder is. Kept for as long as the origin lets them.
  proxy_cache_path $folder/store levels=2 keys_zone=site:16m inactive=1h use_temp_path=off;
  # Every article and fragment: a hit need not open its file.
  open_file_cache max=25000 inactive=1h;

  upstream site {
    server 127.0.0.1:$origin_port;
    # As many as there are readers of private parts, each served by either worker.
    keepalive 128;
  }

  server {
    # A queue for each worker: from a common one, one of them takes most connections.
    listen 127.0.0.1:$port reuseport backlog=2048;
    # By default a client has to connect again after 1000 requests.
    keepalive_requests 100000000;

    # Both for connections to the origin that are kept.
    proxy_http_version 1.1;
    proxy_set_header Connection "";

    proxy_cache site;
    # The usual key holds the URI the client has asked for, which is the same for all parts of a page.
    proxy_cache_key \$uri;

    # Pages and fragments are read into memory and go out in one write: the largest page is of 40 KiB.
    output_buffers 1 48k;
    postpone_output 48k;

    # Fragments hold no tags, so only pages are scanned for them.
    location / { ssi on; proxy_pass http://site; }
    location /fragment/ { proxy_pass http://site; }
    location /object/ { sendfile on; proxy_pass http://site; }

    # It cannot keep a page compressed: each answer is, at its fastest level.
    location /packed/ { ssi on; gzip on; gzip_comp_level 1; proxy_pass http://site; }

    # Never kept, so not looked for.
    location = /mine { proxy_cache off; proxy_pass http://site; }
    location /late-fragment/ { proxy_cache off; proxy_pass http://site; }
  }
}
CONF
exec nginx -c "$folder/nginx.conf" -e "$folder/errors.log"
