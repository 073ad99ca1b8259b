#!/usr/bin/env bash
# title: HAProxy
# needs: haproxy
# package: haproxy
# version: haproxy -v
# dialect: none
# workloads: object-1k tls-1k tls-handshake h2-1k
# tls: haproxy
#
# No pages, which it cannot assemble, and only the small object, for which its cache is made. No load by
# ab, which uses HTTP/1.0: the cache does not answer such requests. Numbers of threads and connections
# are its defaults for the machine.
set -euo pipefail
origin_port=$1 port=$2 folder=$3 tls_port=$4

cat "$QUIRE_BENCH_CERTIFICATE" "$QUIRE_BENCH_KEY" >"$folder/both.pem"

cat >"$folder/haproxy.cfg" <<CFG
cache site
  # MiB; far more than an object needs.
  total-max-size 64
  # The default is a minute; the origin allows an hour.
  max-age 3600

defaults
  mode http
  # It warns if they are not set. None of them expires here.
  timeout connect 10s
  timeout client 2m
  timeout server 2m

listen site
  bind 127.0.0.1:$port backlog 2048
  bind 127.0.0.1:$tls_port backlog 2048 ssl crt $folder/both.pem alpn h2,http/1.1
  http-request cache-use site
  http-response cache-store site
  server origin 127.0.0.1:$origin_port
CFG
# -db: in the foreground.
exec haproxy -db -f "$folder/haproxy.cfg"
