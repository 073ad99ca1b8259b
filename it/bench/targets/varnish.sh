#!/usr/bin/env bash
# title: Varnish
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
#
# What is not set here is as varnishd has it: it forwards and caches well without being told.
set -euo pipefail
origin_port=$1 port=$2 folder=$3

cat >"$folder/site.vcl" <<VCL
vcl 4.1;

backend site {
  .host = "127.0.0.1";
  .port = "$origin_port";
}

sub vcl_recv {
  # Known never to be kept, and asked for by many at once: without this, those who come before the
  # first answer would wait for it.
  if (req.url == "/mine" || req.url ~ "^/late-fragment/") {
    return (pass);
  }
  # Everything else is the same for all readers, but the built-in rules take any Cookie for a sign that
  # it is not.
  unset req.http.Cookie;
  return (hash);
}

sub vcl_backend_response {
  # Only pages are scanned for tags: the origin says which responses are.
  set beresp.do_esi = beresp.http.Surrogate-Control ~ "ESI/";
  # Compressed as it comes in, not for each reader.
  set beresp.do_gzip = bereq.url ~ "^/packed/";
}
VCL

options=(
  # In the foreground, all files in the folder of the run, and no port to be administered by.
  -F -n "$folder/work" -T none
  # The jail would serve as another user, whom the folder does not let write.
  -j none
  -f "$folder/site.vcl" -a "127.0.0.1:$port"
  # The default of 100 MB does not hold 20,000 articles of 16 KiB.
  -s malloc,1g
  # Two pools of it: a thread for each of several hundred clients before they come.
  -p thread_pool_min=256
  # All of them may connect in the same instant.
  -p listen_depth=2048
)
exec varnishd "${options[@]}"
