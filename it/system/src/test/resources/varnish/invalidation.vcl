# Configuration of Varnish for invalidations by an application with quire.surrogate.type=varnish.
# Bans use fields of the stored response only, so that the ban lurker can finish them.
vcl 4.1;

import std;

backend default { .host = "ORIGIN_HOST"; .port = "ORIGIN_PORT"; }

acl application {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "BAN") {
        if (client.ip !~ application) {
            return (synth(405, "Not allowed"));
        }
        if (req.http.X-Ban-Tags) {
            if (!std.ban("obj.http.Surrogate-Key ~ " + req.http.X-Ban-Tags)) {
                return (synth(400, std.ban_error()));
            }
        }
        if (req.http.X-Ban-Url) {
            if (!std.ban("obj.http.X-Ban-Host == " + req.http.X-Ban-Host
                    + " && obj.http.X-Ban-Url == " + req.http.X-Ban-Url)) {
                return (synth(400, std.ban_error()));
            }
        }
        return (synth(200, "Banned"));
    }
}

sub vcl_backend_response {
    # tags in several lines are one field
    std.collect(beresp.http.Surrogate-Key, " ");
    set beresp.http.X-Ban-Host = bereq.http.Host;
    set beresp.http.X-Ban-Url = bereq.url;
}

sub vcl_deliver {
    unset resp.http.X-Ban-Host;
    unset resp.http.X-Ban-Url;
}
