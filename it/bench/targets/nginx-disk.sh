#!/usr/bin/env bash
# title: nginx (disk)
# needs: nginx
# package: nginx
# version: nginx -v
# dialect: none
# workloads: many-16k many-100k many-1m
#
# Its cache on the disk, in the page cache of the kernel, sent with sendfile; as quire-disk, on the same
# file system, with the same limit, which QUIRE_BENCH_MIB overrides.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib/nginx.bash"

run_nginx "$1" "$2" "$3" "
  sendfile on;
  # With tcp_nopush on, 100 KiB take 40 ms: the client's kernel delays its acknowledgement.
  tcp_nopush off;

  proxy_cache_path $QUIRE_BENCH_DISK/nginx-disk levels=2 keys_zone=site:16m inactive=1h max_size=${QUIRE_BENCH_MIB:-1024}m
    use_temp_path=off;
" "
    location / { proxy_pass http://site; }
"
