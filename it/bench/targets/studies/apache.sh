#!/usr/bin/env bash
# title: Apache
# needs: apache2
# package: apache2-bin
# version: apache2 -v
# dialect: none
#
# A reverse proxy that does not cache, with persistent connections to its origin. It has a thread
# for each client from its start: with fewer it closes connections of clients that wait.
set -euo pipefail
origin_port=$1 port=$2 folder=$3
modules=/usr/lib/apache2/modules

# As root it refuses to serve as root.
user=
if [ "$(id -u)" = 0 ]; then user=$'User www-data\nGroup www-data'; fi

cat >"$folder/apache.conf" <<CONF
ServerRoot "$folder"
ServerName 127.0.0.1
Listen 127.0.0.1:$port
ListenBackLog 2048
PidFile "$folder/pid"
ErrorLog "$folder/errors.log"
$user
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule proxy_module $modules/mod_proxy.so
LoadModule proxy_http_module $modules/mod_proxy_http.so
ServerLimit 1
StartServers 1
ThreadLimit 512
ThreadsPerChild 512
MaxRequestWorkers 512
MinSpareThreads 1
MaxSpareThreads 512
KeepAlive On
MaxKeepAliveRequests 0
ProxyPass / http://127.0.0.1:$origin_port/ ttl=5 retry=0
CONF
exec apache2 -D FOREGROUND -f "$folder/apache.conf"
