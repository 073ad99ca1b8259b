#!/usr/bin/env bash
# title: HAProxy
# needs: haproxy
# package: haproxy
# version: haproxy -v
# dialect: none
# workloads: object-1k close-5k
#
# It assembles nothing, and its cache is for small objects: only those are asked of it.
set -euo pipefail
cat >"$3/haproxy.cfg" <<CONF
global
  # As many threads as the others have loops or workers.
  nbthread $(nproc)
  maxconn 8000
  # What is cached must fit into a buffer.
  tune.bufsize 32768
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
cache objects
  total-max-size 256
  max-object-size 30000
  max-age 3600
frontend clients
  bind 127.0.0.1:$2 backlog 4096
  default_backend origin
backend origin
  http-request cache-use objects
  http-response cache-store objects
  server origin 127.0.0.1:$1
CONF
exec haproxy -db -f "$3/haproxy.cfg"
