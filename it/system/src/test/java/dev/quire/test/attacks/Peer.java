package dev.quire.test.attacks;

import dev.quire.test.programs.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;

/** A proxy that caches by the fields of the origin, configured as by a careful operator. */
enum Peer {
    VARNISH(
            WebServer.VARNISH,
            """
            vcl 4.1;
            backend origin { .host = "127.0.0.1"; .port = "ORIGIN"; }
            backend other { .host = "127.0.0.1"; .port = "OTHER"; }
            sub vcl_recv {
                set req.backend_hint = origin;
                if (req.http.host == "other.example") { set req.backend_hint = other; }
            }
            sub vcl_backend_response {
                if (beresp.http.Surrogate-Control ~ "ESI/1.0") { set beresp.do_esi = true; }
                unset beresp.http.Surrogate-Control;
            }
            """),
    NGINX(
            WebServer.NGINX,
            """
            daemon off;
            master_process off;
            pid FOLDER/pid;
            events {}
            http {
                access_log off;
                client_body_temp_path FOLDER/body;
                proxy_temp_path FOLDER/proxy;
                fastcgi_temp_path FOLDER/fastcgi;
                uwsgi_temp_path FOLDER/uwsgi;
                scgi_temp_path FOLDER/scgi;
                proxy_cache_path FOLDER/cache keys_zone=pages:1m;
                map $host $behind { default 127.0.0.1:ORIGIN; other.example 127.0.0.1:OTHER; }
                server {
                    listen 127.0.0.1:PORT;
                    location / {
                        proxy_pass http://$behind;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                        proxy_set_header Host $host;
                        proxy_cache pages;
                        proxy_cache_key $scheme$host$request_uri;
                    }
                }
            }
            """);

    private final WebServer server;

    /** With ORIGIN and OTHER for ports, and those of {@link WebServer#start}. */
    private final String configuration;

    Peer(WebServer server, String configuration) {
        this.server = server;
        this.configuration = configuration;
    }

    @Override
    public String toString() {
        return server.toString();
    }

    /** The peer with the program at {@code path}. */
    AttackTarget at(Path path) {
        return new AttackTarget() {
            @Override
            public String name() {
                return server.toString();
            }

            @Override
            public Running start(
                    InetSocketAddress origin, InetSocketAddress other, Map<String, String> config) {
                var ports =
                        configuration
                                .replace("ORIGIN", Integer.toString(origin.getPort()))
                                .replace("OTHER", Integer.toString(other.getPort()));
                try {
                    var program = server.start(path, ports);
                    return new Running() {
                        @Override
                        public InetSocketAddress address() {
                            return program.address();
                        }

                        @Override
                        public void close() {
                            program.close();
                        }
                    };
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot start " + path, e);
                }
            }
        };
    }
}
