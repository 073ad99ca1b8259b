package dev.quire.test.attacks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An installed proxy, as a process with a folder of its own. Its configuration caches by the fields
 * of the origin, as a careful operator would write it.
 */
enum Peer {
    VARNISH("varnish") {
        @Override
        List<String> command(Path program, Path folder, int port) {
            return List.of(
                    program.toString(),
                    "-F",
                    "-j",
                    "none",
                    "-n",
                    folder.resolve("work").toString(),
                    "-a",
                    "127.0.0.1:" + port,
                    "-s",
                    "malloc,64m",
                    "-p",
                    "feature=+esi_ignore_other_elements,+esi_disable_xml_check",
                    "-f",
                    folder.resolve("configuration").toString());
        }

        @Override
        String configuration() {
            return """
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
            """;
        }
    },
    NGINX("nginx") {
        @Override
        List<String> command(Path program, Path folder, int port) {
            return List.of(
                    program.toString(),
                    "-p",
                    folder.toString(),
                    "-e",
                    folder.resolve("errors").toString(),
                    "-c",
                    folder.resolve("configuration").toString());
        }

        @Override
        String configuration() {
            return """
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
            """;
        }
    };

    private final String peer;

    Peer(String peer) {
        this.peer = peer;
    }

    abstract List<String> command(Path program, Path folder, int port);

    /** With ORIGIN, OTHER and PORT for ports, and FOLDER. */
    abstract String configuration();

    @Override
    public String toString() {
        return peer;
    }

    /** The peer with the program at {@code path}. */
    AttackTarget at(Path path) {
        return new AttackTarget() {
            @Override
            public String name() {
                return peer;
            }

            @Override
            public Running start(
                    InetSocketAddress origin, InetSocketAddress other, Map<String, String> config) {
                try {
                    return PeerProcess.start(Peer.this, path, origin.getPort(), other.getPort());
                } catch (IOException e) {
                    throw new UncheckedIOException("cannot start " + path, e);
                }
            }
        };
    }
}
