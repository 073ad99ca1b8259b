#!/usr/bin/env bash
# title: Varnish
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
# tls: hitch
#
# Everything else is at its default, which forwards and caches as needed. Over TLS behind hitch (Debian:
# hitch), with one process of it for each processor, and the PROXY protocol between the two.
# QUIRE_BENCH_STORAGE and QUIRE_BENCH_MIB are the kind of its storage, such as "file,PATH", and its size.
# With QUIRE_BENCH_BANS a request BAN hides all URLs that its field X-Url matches.
set -euo pipefail
origin_port=$1 port=$2 folder=$3 tls_port=$4

bans=
if [ -n "${QUIRE_BENCH_BANS:-}" ]; then
  bans='if (req.method == "BAN" && std.ban("req.url ~ " + req.http.X-Url)) { return (synth(200)); }'
fi

cat >"$folder/site.vcl" <<VCL
vcl 4.1;

import std;

backend site {
  .host = "127.0.0.1";
  .port = "$origin_port";
}

sub vcl_recv {
  $bans
  # Uncacheable, and requested concurrently: without this, requests would wait for the first response.
  if (req.url == "/mine" || req.url ~ "^/late-fragment/") {
    return (pass);
  }
  # Everything else is shared, but the built-in rules do not cache requests with a Cookie.
  unset req.http.Cookie;
  return (hash);
}

sub vcl_backend_response {
  # An error does not replace a stored response within its grace.
  if (beresp.status >= 500 && bereq.is_bgfetch) {
    return (abandon);
  }
  # Only pages are scanned for tags; the origin marks them.
  set beresp.do_esi = beresp.http.Surrogate-Control ~ "ESI/";
  # Compressed once when it is fetched.
  set beresp.do_gzip = bereq.url ~ "^/packed/";
}
VCL

options=(
  # In the foreground, all files in the folder of the run, and no admin port.
  -F -n "$folder/work" -T none
  # The jail would run as another user, who cannot write to the folder.
  -j none
  -f "$folder/site.vcl" -a "127.0.0.1:$port"
  # The default of 100 MB does not hold 20,000 articles of 16 KiB.
  -s "${QUIRE_BENCH_STORAGE:-malloc},${QUIRE_BENCH_MIB:-1024}m"
  # Per pool, of two: threads for several hundred clients from the start.
  -p thread_pool_min=256
  # All of them may connect at once.
  -p listen_depth=2048
  # Further options, separated by blanks.
  ${QUIRE_BENCH_VARNISH:-}
)
if ! command -v hitch >/dev/null; then
  exec varnishd "${options[@]}"
fi

# As root it would run its workers as another user, who cannot read the key.
user=
if [ "$(id -u)" = 0 ]; then user='user = "root"'; fi
cat "$QUIRE_BENCH_CERTIFICATE" "$QUIRE_BENCH_KEY" >"$folder/both.pem"
cat >"$folder/hitch.conf" <<CONF
frontend = { host = "127.0.0.1" port = "$tls_port" }
backend = "$folder/varnish.socket"
write-proxy-v2 = on
alpn-protos = "h2, http/1.1"
workers = $(nproc)
backlog = 2048
daemon = off
pem-file = "$folder/both.pem"
$user
CONF
options+=(-a "$folder/varnish.socket,PROXY" -p feature=+http2)
varnishd "${options[@]}" &
trap 'kill $(jobs -p)' TERM INT EXIT
while [ ! -S "$folder/varnish.socket" ] && kill -0 $!; do sleep 0.1; done
hitch --config="$folder/hitch.conf" &
wait -n
