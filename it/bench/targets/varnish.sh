#!/usr/bin/env bash
# title: Varnish
# needs: varnishd
# package: varnish
# version: varnishd -V
# dialect: esi
set -euo pipefail
cat >"$3/bench.vcl" <<VCL
vcl 4.1;
# As many connections as the clients can make it need at one time.
backend origin { .host = "127.0.0.1"; .port = "$1"; .max_connections = 2000; }
sub vcl_recv {
  # The built-in rules would pass every request with a Cookie. Only what is private needs it; what is
  # private or late is passed, so that requests for it do not queue behind one another.
  if (req.url ~ "^/(mine|late-fragment/)") { return (pass); }
  unset req.http.Cookie;
  # Kept compressed, a page would be unpacked for every client that takes none: one form for each path.
  if (req.url !~ "^/packed/") { unset req.http.Accept-Encoding; }
  return (hash);
}
# The path is enough of a key, and shorter than path and host.
sub vcl_hash { hash_data(req.url); return (lookup); }
sub vcl_backend_response {
  if (beresp.http.Surrogate-Control ~ "ESI/1.0") {
    set beresp.do_esi = true;
    unset beresp.http.Surrogate-Control;
  }
  # Compressed once, as it is stored; pages are stitched of compressed pieces.
  if (bereq.url ~ "^/packed/") { set beresp.do_gzip = true; }
}
VCL
# thread_pool_min: all threads are there before the load is. esi_disable_xml_check: fragments and
# templates need not begin with '<'. malloc, since files would only add a layer; logging goes to
# shared memory and nobody reads it. -j none: the jail needs another user and is no part of serving.
exec varnishd -j none -F -n "$3/varnish" -f "$3/bench.vcl" -a "127.0.0.1:$2" -T none -s malloc,2g \
  -p feature=+esi_disable_xml_check -p thread_pools=2 -p thread_pool_min=300 \
  -p thread_pool_max=2000 -p listen_depth=4096 -p timeout_idle=60
