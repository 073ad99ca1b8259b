#!/usr/bin/env bash
# title: nginx (static)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: none
#
# The files in QUIRE_BENCH_FILES, sent with sendfile. It has no cache and asks no origin.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib/nginx.bash"

run_nginx "$1" "$2" "$3" "
  sendfile on;
  tcp_nopush off;

  # The zone that the common configuration names; unused.
  proxy_cache_path $3/unused keys_zone=site:1m;
" "
    location / { root $QUIRE_BENCH_FILES; }
"
