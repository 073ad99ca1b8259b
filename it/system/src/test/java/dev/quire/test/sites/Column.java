package dev.quire.test.sites;

import dev.quire.test.programs.RunningProgram;
import dev.quire.test.programs.WebServer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** One column of the tables: each origin alone, or behind one kind of proxy. Thread-safe. */
final class Column implements AutoCloseable {
    private final Kind kind;
    private final Servers servers;
    private final Tools tools;
    private final Map<Place, Proxy> proxies = new HashMap<>();
    private final Map<Servers.Name, Map<String, String>> browsers = new HashMap<>();
    private final Map<Servers.Name, FutureTask<Void>> preparations = new ConcurrentHashMap<>();

    /** A kind of proxy, or none. */
    enum Kind {
        ORIGIN,
        QUIRE,
        VARNISH,
        NGINX;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Place(Servers.Name server, Settings settings) {}

    private record Proxy(InetSocketAddress address, Runnable stop) {}

    Column(Kind kind, Servers servers, Tools tools) {
        this.kind = kind;
        this.servers = servers;
        this.tools = tools;
    }

    Kind kind() {
        return kind;
    }

    Servers servers() {
        return servers;
    }

    InetSocketAddress at(Servers.Name server) {
        return at(server, Settings.DEFAULT);
    }

    /** The address at which {@code server} is reached; starts a proxy at the first call. */
    InetSocketAddress at(Servers.Name server, Settings settings) {
        if (kind == Kind.ORIGIN) {
            return servers.address(server);
        }
        var place = new Place(server, kind == Kind.QUIRE ? settings : Settings.DEFAULT);
        synchronized (proxies) {
            return proxies.computeIfAbsent(place, this::start).address();
        }
    }

    HttpWire connect(Servers.Name server) {
        return HttpWire.to(at(server));
    }

    HttpWire connect(Servers.Name server, Settings settings) {
        return HttpWire.to(at(server, settings));
    }

    /** Takes {@code steps} with {@code server} at the first call; later calls wait for its end. */
    void once(Servers.Name server, Preparation steps) throws Exception {
        var preparation =
                preparations.computeIfAbsent(
                        server,
                        any ->
                                new FutureTask<>(() -> {
                                    steps.take();
                                    return null;
                                }));
        preparation.run();
        preparation.get();
    }

    /** Steps that rows have in common. */
    interface Preparation {
        void take() throws Exception;
    }

    /**
     * Returns the browser's report of each step with {@code server}; null if there is no browser.
     */
    @Nullable Map<String, String> browser(Servers.Name server) throws IOException {
        var chromium = tools.chromium();
        if (chromium == null) {
            return null;
        }
        synchronized (browsers) {
            var found = browsers.get(server);
            if (found == null) {
                found =
                        new Browser(chromium, tools.screenshots(), servers)
                                .report(at(server), server, kind + "-" + server);
                browsers.put(server, found);
            }
            return found;
        }
    }

    private Proxy start(Place place) {
        var url = servers.url(place.server());
        var port = Integer.toString(url.getPort());
        try {
            return switch (kind) {
                case ORIGIN -> throw new IllegalStateException("an origin alone has no proxy");
                case QUIRE -> {
                    var setup = RunningProxy.inFrontOf(url).origin(place.settings().origin());
                    place.settings().sections().forEach(setup::with);
                    var proxy = setup.start();
                    yield new Proxy(proxy.http(), proxy::close);
                }
                case VARNISH -> peer(WebServer.VARNISH, tools.varnish(), VARNISH, port);
                case NGINX -> peer(WebServer.NGINX, tools.nginx(), NGINX, port);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + kind, e);
        }
    }

    private static Proxy peer(
            WebServer peer, @Nullable Path program, String configuration, String port)
            throws IOException {
        if (program == null) {
            throw new IllegalStateException(peer + " is not installed");
        }
        RunningProgram running = peer.start(program, configuration.replace("ORIGIN", port));
        return new Proxy(running.address(), running::close);
    }

    private static final String VARNISH =
            """
            vcl 4.1;
            import std;
            backend origin { .host = "127.0.0.1"; .port = "ORIGIN"; }
            sub vcl_recv {
                if (req.http.Upgrade ~ "(?i)websocket") { return (pipe); }
            }
            sub vcl_pipe {
                if (req.http.Upgrade) {
                    set bereq.http.Upgrade = req.http.Upgrade;
                    set bereq.http.Connection = req.http.Connection;
                }
            }
            sub vcl_backend_response {
                if (std.integer(beresp.http.Content-Length, 0) > 16777216) {
                    set beresp.uncacheable = true;
                }
            }
            """;

    private static final String NGINX =
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
                proxy_cache_path FOLDER/cache keys_zone=pages:1m max_size=64m;
                client_max_body_size 0;
                client_header_timeout 12s;
                map $http_upgrade $hop { default upgrade; '' ''; }
                server {
                    listen 127.0.0.1:PORT;
                    location / {
                        proxy_pass http://127.0.0.1:ORIGIN;
                        proxy_http_version 1.1;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection $hop;
                        proxy_set_header Host $http_host;
                        proxy_cache pages;
                    }
                }
            }
            """;

    @Override
    public void close() {
        synchronized (proxies) {
            proxies.values().forEach(proxy -> proxy.stop().run());
            proxies.clear();
        }
    }
}
