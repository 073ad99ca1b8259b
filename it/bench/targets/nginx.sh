#!/usr/bin/env bash
# title: nginx (SSI)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: ssi
# tls: nginx
#
# Server side includes replace ESI, which nginx does not support: one subrequest to its own cache per
# fragment, all of a page in parallel. QUIRE_BENCH_SSI=off turns them off. QUIRE_BENCH_STORE is another
# folder for its cache than the one of the run, which is on tmpfs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/nginx.bash"
tls_port=$4

run_nginx "$1" "$2" "$3" "
  # The cache. The origin sets the freshness lifetime.
  proxy_cache_path ${QUIRE_BENCH_STORE:-$3/store} levels=2 keys_zone=site:16m inactive=1h use_temp_path=off;
" "
    listen 127.0.0.1:$tls_port ssl http2 reuseport backlog=2048;
    ssl_certificate $QUIRE_BENCH_CERTIFICATE;
    ssl_certificate_key $QUIRE_BENCH_KEY;
    ssl_protocols TLSv1.2 TLSv1.3;

    # Pages and fragments are read into memory and sent in one write; the largest page has 40 KiB.
    output_buffers 1 48k;
    postpone_output 48k;

    # Fragments contain no tags, so only pages are scanned.
    location / { ssi ${QUIRE_BENCH_SSI:-on}; proxy_pass http://site; }
    location /fragment/ { proxy_pass http://site; }
    location /object/ { sendfile on; proxy_pass http://site; }
    location /many/ { sendfile on; proxy_pass http://site; }

    # It cannot cache a page compressed: each response is compressed, at the fastest level.
    location /packed/ { ssi on; gzip on; gzip_comp_level 1; proxy_pass http://site; }

    # Uncacheable, so no look-up.
    location = /mine { proxy_cache off; proxy_pass http://site; }
    location /late-fragment/ { proxy_cache off; proxy_pass http://site; }
"
