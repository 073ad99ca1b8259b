#!/usr/bin/env bash
# title: Traffic Server
# needs: traffic_server
# package: trafficserver
# version: traffic_server -V
# dialect: esi
# workloads: object-1k object-100k page page-private news late close-5k close-100k
#
# Its esi plugin, for responses that ask for it. Without the workload in gzip: the plugin would
# compress each answer by a setting of its own for all.
set -euo pipefail
home=$3/trafficserver
mkdir -p "$home"/{etc,cache,run,log,local}
plugins=$(find /usr/lib /usr/libexec /usr/local/libexec -name esi.so -print -quit 2>/dev/null)
[ -n "$plugins" ] || { echo "its plugin esi.so is not installed" >&2; exit 1; }
cat >"$home/runroot.yaml" <<ROOT
prefix: /usr
exec_prefix: /usr
bindir: /usr/bin
sbindir: /usr/sbin
includedir: /usr/include
libdir: /usr/lib/trafficserver
libexecdir: $(dirname "$plugins")
sysconfdir: $home/etc
datadir: $home/cache
cachedir: $home/cache
localstatedir: $home/local
runtimedir: $home/run
logdir: $home/log
ROOT
# A thread for each processor, which is what it is told to find out; all in the RAM cache; no log.
cat >"$home/etc/records.config" <<CONF
CONFIG proxy.config.http.server_ports STRING $2:ip-in=127.0.0.1
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT $(nproc)
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.cache.ram_cache.size INT 1G
CONFIG proxy.config.cache.ram_cache.algorithm INT 1
CONFIG proxy.config.http.insert_response_via_str INT 0
CONFIG proxy.config.http.cache.required_headers INT 0
CONFIG proxy.config.http.cache.cache_responses_to_cookies INT 1
CONFIG proxy.config.http.keep_alive_no_activity_timeout_in INT 120
CONFIG proxy.config.net.connections_throttle INT 15000
CONFIG proxy.config.net.listen_backlog INT 4096
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.crash_log_helper STRING NULL
CONF
echo "map / http://127.0.0.1:$1/" >"$home/etc/remap.config"
echo "$home/cache 2G" >"$home/etc/storage.config"
echo esi.so >"$home/etc/plugin.config"
# What is never kept must not wait for a write lock of the cache.
echo 'url_regex=/(mine|late-fragment/) action=never-cache' >"$home/etc/cache.config"
cat >"$home/etc/ip_allow.yaml" <<ALLOW
ip_allow:
  - {apply: in, ip_addrs: [127.0.0.1, "::1"], action: allow, methods: ALL}
ALLOW
chmod -R a+rwX "$home"
exec traffic_server --run-root="$home/runroot.yaml"
