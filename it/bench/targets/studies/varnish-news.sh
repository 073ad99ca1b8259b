#!/usr/bin/env bash
# title: Varnish
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
#
# Varnish in front of the sample site: lifetimes from Surrogate-Control, one variant of fragments for
# readers without a session, and the personal parts of others from the site.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

cat >"$folder/site.vcl" <<VCL
vcl 4.1;

import std;

backend site {
  .host = "127.0.0.1";
  .port = "$origin_port";
  .max_connections = 256;
}

sub vcl_recv {
  set req.http.Surrogate-Capability = {"varnish="ESI/1.0""};
  set req.http.Esi-Variant = "none";
  if (req.url ~ "^/main/scrap/"
      || (req.http.Cookie ~ "JSESSIONID=" && req.url ~ "^/fragment/(greeting|scrap-count)\$")) {
    return (pass);
  }
  # Everything else is shared, but the built-in rules do not cache requests with a Cookie.
  unset req.http.Cookie;
  return (hash);
}

sub vcl_backend_response {
  # Only pages are scanned for tags.
  set beresp.do_esi = beresp.http.Surrogate-Control ~ "ESI/";
  if (beresp.http.Surrogate-Control ~ "max-age=[0-9]") {
    set beresp.ttl =
        std.duration(regsub(beresp.http.Surrogate-Control, "^.*max-age=([0-9]+).*\$", "\1s"), 0s);
  }
  if (beresp.http.Surrogate-Control ~ "max-age=[0-9]+\+[0-9]") {
    set beresp.grace =
        std.duration(regsub(beresp.http.Surrogate-Control, "^.*max-age=[0-9]+\+([0-9]+).*\$", "\1s"), 10s);
  }
}
VCL

# As in varnish.sh.
exec varnishd -F -n "$folder/work" -T none -j none -f "$folder/site.vcl" -a "127.0.0.1:$port" \
  -s malloc,1024m -p thread_pool_min=256 -p listen_depth=2048
