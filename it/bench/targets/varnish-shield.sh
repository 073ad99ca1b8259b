#!/usr/bin/env bash
# title: Varnish (edge and shield)
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
# workloads: many-1k many-page
#
# An edge that has nothing asks a shield on the same machine, which has everything. The edge assembles
# pages. It does not store: that would cost more.
set -euo pipefail
origin_port=$1 port=$2 folder=$3 shield_port=$4

cat >"$folder/shield.vcl" <<VCL
vcl 4.1;

backend site {
  .host = "127.0.0.1";
  .port = "$origin_port";
}
VCL
cat >"$folder/edge.vcl" <<VCL
vcl 4.1;

backend shield {
  .host = "127.0.0.1";
  .port = "$shield_port";
}

sub vcl_recv {
  return (pass);
}

sub vcl_backend_response {
  # Only pages are scanned for tags; the origin marks them.
  set beresp.do_esi = beresp.http.Surrogate-Control ~ "ESI/";
}
VCL

# Starts $1 on port $2.
start() {
  # In the foreground, all files in the folder of the run, and no admin port.
  varnishd -F -n "$folder/$1" -T none -j none -f "$folder/$1.vcl" -a "127.0.0.1:$2" \
    -s malloc,1g -p thread_pool_min=256 -p listen_depth=2048 &
}
trap 'kill $(jobs -p)' TERM INT EXIT
start shield "$shield_port"
start edge "$port"
wait -n
