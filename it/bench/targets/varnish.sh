#!/usr/bin/env bash
# title: Varnish
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
#
# Everything else is at its default, which forwards and caches as needed.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

cat >"$folder/site.vcl" <<VCL
vcl 4.1;

backend site {
  .host = "127.0.0.1";
  .port = "$origin_port";
}

sub vcl_recv {
  # Uncacheable, and requested concurrently: without this, requests would wait for the first response.
  if (req.url == "/mine" || req.url ~ "^/late-fragment/") {
    return (pass);
  }
  # Everything else is shared, but the built-in rules do not cache requests with a Cookie.
  unset req.http.Cookie;
  return (hash);
}

sub vcl_backend_response {
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
  -s malloc,1g
  # Per pool, of two: threads for several hundred clients from the start.
  -p thread_pool_min=256
  # All of them may connect at once.
  -p listen_depth=2048
)
exec varnishd "${options[@]}"
