#!/usr/bin/env bash
# title: HAProxy
# needs: haproxy
# package: haproxy
# version: haproxy -v
# dialect: none
# workloads: object-1k
#
# No pages, which it cannot assemble, and of objects the small one its cache is made for. None by ab: its
# cache answers no request in HTTP/1.0, which is what ab speaks. It finds out by itself how many threads
# and connections the machine has room for.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

cat >"$folder/haproxy.cfg" <<CFG
cache site
  # MiB; far more than an object takes.
  total-max-size 64
  # By default it asks anew after a minute. The origin allows an hour.
  max-age 3600

defaults
  mode http
  # Without these it warns; nothing here is ever that slow.
  timeout connect 10s
  timeout client 2m
  timeout server 2m

listen site
  bind 127.0.0.1:$port backlog 2048
  http-request cache-use site
  http-response cache-store site
  server origin 127.0.0.1:$origin_port
CFG
# -db: in the foreground.
exec haproxy -db -f "$folder/haproxy.cfg"
