#!/usr/bin/env bash
# title: Traffic Server
# needs: traffic_server
# package: trafficserver
# version: traffic_server -V
# dialect: esi
# workloads: object-1k object-100k page page-private news late close-5k close-100k
#
# Version 9 with its ESI plugin. Without the page in gzip: the plugin compresses either all pages or
# none.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

plugin=$(find /usr/lib /usr/libexec /usr/local -name esi.so -print -quit 2>/dev/null || true)
if [ -z "$plugin" ]; then
  echo "esi.so, a plugin of Traffic Server, is not installed" >&2
  exit 1
fi

# Programs from where they are installed; all written files in the folder of the run.
layout=$folder/layout.yaml
{
  printf '%s: /usr\n' prefix exec_prefix
  printf '%s\n' 'bindir: /usr/bin' 'sbindir: /usr/sbin' 'includedir: /usr/include' \
    "libdir: $(dirname "$(dirname "$plugin")")" "libexecdir: $(dirname "$plugin")"
  for kind in sysconf data cache localstate runtime log; do
    mkdir -p "$folder/$kind"
    echo "${kind}dir: $folder/$kind"
  done
} >"$layout"

set_record() { echo "CONFIG proxy.config.$1 $2 $3" >>"$folder/sysconf/records.config"; }
set_record http.server_ports STRING "$port:ip-in=127.0.0.1"
# Do not change the user: another one could not write to the folder.
set_record admin.user_id STRING '#-1'
# All articles in memory; the default depends on the size of the disk.
set_record cache.ram_cache.size INT 768M
# No log and no crash helper, like the other targets.
set_record log.logging_enabled INT 0
set_record crash_log_helper STRING NULL

cd "$folder/sysconf"
echo "map / http://127.0.0.1:$origin_port/" >remap.config
echo "$folder/cache 1G" >storage.config
# Requests for uncacheable responses must not queue for the write lock of the object.
printf 'url_regex=/%s action=never-cache\n' 'mine$' 'late-fragment/' >cache.config
# The plugin needs the field X-Esi instead of Surrogate-Control.
cat >mark-pages.conf <<'CONF'
cond %{READ_RESPONSE_HDR_HOOK}
cond %{HEADER:Surrogate-Control} /ESI/
set-header X-Esi 1
CONF
printf '%s\n' 'header_rewrite.so mark-pages.conf' esi.so >plugin.config
cat >ip_allow.yaml <<'YAML'
ip_allow:
  - apply: in
    ip_addrs: 127.0.0.1
    action: allow
    methods: ALL
YAML
exec traffic_server --run-root="$layout"
