package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.EXPRESS;
import static dev.quire.test.sites.Servers.Name.FILES;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** The protocol, byte by byte. */
final class ProtocolRows {
    private static final String TABLE = "1.4";
    private static final String HOST = "site.example";
    private static final Set<Column.Kind> QUIRE = EnumSet.of(Column.Kind.QUIRE);

    /** Long enough to see that a part arrives before the next one is sent. */
    private static final Duration SHORT_PAUSE = Duration.ofMillis(1500);

    private final Scale scale;
    private final List<Row> rows = new ArrayList<>();

    private ProtocolRows(Scale scale) {
        this.scale = scale;
    }

    static List<Row> all(Scale scale) {
        var rows = new ProtocolRows(scale);
        rows.requests();
        rows.time();
        rows.http10();
        rows.limits();
        rows.addresses();
        return rows.rows;
    }

    private void add(String name, Row.Steps steps) {
        rows.add(Row.of(TABLE, name, steps));
    }

    private void add(String name, Set<Column.Kind> columns, Row.Steps steps) {
        rows.add(Row.of(TABLE, name, columns, steps));
    }

    private void requests() {
        add("keep-alive, 3 pipelined", ProtocolRows::pipelined);
        add("HEAD, 304, If-None-Match", ProtocolRows::validated);
        add("absolute-form", ProtocolRows::absoluteForm);
        add(
                "WebSocket",
                column ->
                        Client.expect(
                                "hello", Client.exchange(column.at(EXPRESS), "/socket", "hello")));
        add("102 Processing", ProtocolRows::processing);
        add("response trailers", ProtocolRows::trailers);
        for (var method : List.of("TRACE", "CONNECT")) {
            add(method + " is 405", Row.PROXIES, column -> refuses(column, method));
        }
        for (var method : List.of("PROPFIND", "REPORT")) {
            add(method, column -> passes(column, method));
        }
        // Node's own parser knows it from version 22 on; a static nginx refuses it itself.
        add("QUERY", column -> reaches(column, "QUERY"));
        add("?q=100% (lone percent sign)", column -> echoes(column, "/echo?q=100%"));
        add("?q=`x^\\", column -> echoes(column, "/echo?q=`x^\\"));
        add("?q={\"a\"|b}", column -> echoes(column, "/echo?q={\"a\"|b}"));
        add("query with bytes above 0x7F", ProtocolRows::highBytes);
        // Node itself does not answer after a FIN.
        add("client half-closes, miss", Row.PROXIES, ProtocolRows::halfClosed);
        add("slow head (slowloris) ends", Row.PROXIES, ProtocolRows::slowHead);
    }

    private void time() {
        long pause = scale.pause().toMillis();
        add("SSE: first event at once", column -> streams(column, "/events"));
        add("chunked text: first part at once", column -> streams(column, "/stream"));
        add(
                "SSE with a pause of %d s".formatted(scale.pause().toSeconds()),
                column -> {
                    try (var client = column.connect(EXPRESS, scale.origin())) {
                        client.request("GET", "/events?pause=" + pause);
                        var response = client.begin();
                        response.awaitText("first");
                        boolean isWhole = response.awaitEnd();
                        Client.expect(isWhole, "both events", "a cut after the first");
                    }
                });
        // The route of long polls says how long they may take.
        var polls =
                scale.origin()
                        .with(
                                "routes",
                                "[ { host: \"*\", path: /poll, origin: tested, first-byte-timeout: 60s },"
                                        + " { host: \"*\", path: \"/**\", origin: tested } ]");
        add(
                "long poll of %d s".formatted(scale.pause().toSeconds()),
                column -> {
                    try (var client = column.connect(EXPRESS, polls)) {
                        var response = Client.expect(200, client.get("/poll?pause=" + pause));
                        Client.expect("polled", response.text());
                    }
                });
    }

    private void http10() {
        add("HTTP/1.0 with Host, keep-alive, stream", ProtocolRows::withHost);
        var named =
                Settings.DEFAULT.with(
                        "listen", "{ http: \"127.0.0.1:0\", default-host: site.example }");
        add("HTTP/1.0 without Host, default-host", column -> withoutHost(column, named));
        var routed =
                Settings.DEFAULT.with(
                        "routes", "[ { host: site.example, path: \"/**\", origin: tested } ]");
        add("HTTP/1.0 without Host, one route", QUIRE, column -> withoutHost(column, routed));
        add("HAProxy's option httpchk", QUIRE, ProtocolRows::healthCheck);
    }

    private void limits() {
        add(
                "cookie of 8.2 KB",
                column -> {
                    try (var client = column.connect(EXPRESS)) {
                        var cookie = "a=" + "x".repeat(8200);
                        var response = Client.expect(200, client.get("/account", "Cookie", cookie));
                        Client.expect(cookie.equals(response.text()), "the cookie", "another");
                    }
                });
        add(
                "100 request fields",
                column -> {
                    try (var client = column.connect(EXPRESS)) {
                        var fields = new ArrayList<String>();
                        for (int i = 0; i < 100; i++) {
                            fields.addAll(List.of("X-Field-" + i, "x"));
                        }
                        Client.expect(
                                200, client.get("/fields?count=0", fields.toArray(String[]::new)));
                    }
                });
        var longer = Settings.DEFAULT.with("limits", "{ request-line: 16KiB }");
        add(
                "URL over 8 KB",
                column -> {
                    try (var client = column.connect(EXPRESS, longer)) {
                        var target = "/echo?q=" + "x".repeat(9000);
                        var response = Client.expect(200, client.get(target));
                        Client.expect(target.equals(response.text()), "the URL", "another");
                    }
                });
        add(
                "response field of 60 KB",
                column -> {
                    try (var client = column.connect(EXPRESS)) {
                        Client.expect(200, client.get("/fields?count=1&length=60000"));
                    }
                });
        add(
                "250 response fields",
                column -> {
                    try (var client = column.connect(EXPRESS)) {
                        Client.expect(200, client.get("/fields?count=250&length=1"));
                    }
                });
    }

    private void addresses() {
        add("IPv6 listen, both families", QUIRE, ProtocolRows::bothFamilies);
        add("IPv6 in the access log is ::1", QUIRE, ProtocolRows::shortAddress);
    }

    private static void pipelined(Column column) {
        try (var client = column.connect(EXPRESS)) {
            for (int i = 0; i < 3; i++) {
                client.request("GET", "/echo?q=" + i, "Host", HOST);
            }
            for (int i = 0; i < 3; i++) {
                Client.expect("/echo?q=" + i, Client.expect(200, client.response()).text());
            }
        }
    }

    private static void validated(Column column) {
        try (var client = column.connect(EXPRESS)) {
            var etag = String.valueOf(Client.expect(200, client.get("/etag")).field("ETag"));
            var head = Client.expect(200, client.request("HEAD", "/etag").response());
            Client.expect("9", head.field("Content-Length"));
            Client.expect(304, client.get("/etag", "If-None-Match", etag));
            Client.expect(200, client.get("/etag", "If-None-Match", "\"other\""));
        }
    }

    private static void absoluteForm(Column column) {
        try (var client = column.connect(EXPRESS)) {
            client.send("GET http://site.example/echo?q=1 HTTP/1.1\r\nHost: site.example\r\n\r\n");
            var response = Client.expect(200, client.response());
            Client.expect(response.text().endsWith("/echo?q=1"), "/echo?q=1", response.text());
        }
    }

    private static void processing(Column column) {
        try (var client = column.connect(EXPRESS)) {
            client.request("GET", "/processing?pause=200");
            var response = Client.expect(200, client.response());
            Client.expect(
                    response.interims().stream().anyMatch(interim -> interim.status() == 102),
                    "102 before the response",
                    "none");
        }
    }

    private static void trailers(Column column) throws IOException {
        var response =
                Client.untilClose(
                        column.at(EXPRESS),
                        """
                        GET /trailers HTTP/1.1\r
                        Host: site.example\r
                        TE: trailers\r
                        Connection: TE, close\r
                        \r
                        """);
        Client.expect(
                response.toLowerCase(Locale.ROOT).contains("\r\n0\r\nx-sum: 42\r\n"),
                "X-Sum: 42 after the body",
                response.substring(Math.max(0, response.length() - 40)));
    }

    private static void refuses(Column column, String method) {
        try (var client = column.connect(EXPRESS)) {
            var target = method.equals("CONNECT") ? "site.example:80" : "/method";
            Client.expect(405, client.request(method, target, "Host", HOST).response());
        }
    }

    private static void passes(Column column, String method) {
        try (var client = column.connect(EXPRESS)) {
            var response = Client.expect(200, client.request(method, "/method").response());
            Client.expect(method, response.field("X-Method"));
        }
    }

    /** The origin's own answer arrives, whatever it is. */
    private static void reaches(Column column, String method) {
        try (var own = HttpWire.to(column.servers().address(FILES));
                var client = column.connect(FILES)) {
            int status = own.request(method, "/small.bin").response().status();
            Client.expect(status, client.request(method, "/small.bin").response());
        }
    }

    private static void echoes(Column column, String target) {
        try (var client = column.connect(EXPRESS)) {
            Client.expect(target, Client.expect(200, client.get(target)).text());
        }
    }

    private static void highBytes(Column column) {
        // Node refuses such a query.
        try (var client = column.connect(FILES)) {
            client.send("GET /small.bin?q=\u00e4\u00ff HTTP/1.1\r\nHost: site.example\r\n\r\n");
            Client.expect(200, client.response());
        }
    }

    private static void halfClosed(Column column) {
        try (var client = column.connect(EXPRESS)) {
            client.request("GET", "/poll?pause=300&n=" + System.nanoTime()).halfClose();
            Client.expect("polled", Client.expect(200, client.response()).text());
        }
    }

    /** One byte of the head at a time, until the proxy answers or closes. */
    private static void slowHead(Column column) {
        try (var client = column.connect(EXPRESS)) {
            client.send("GET / HTTP/1.1\r\nHost: site.example\r\nX-Slow: ");
            var drip =
                    Thread.ofVirtual()
                            .start(() -> {
                                try {
                                    while (!Thread.interrupted()) {
                                        client.send("x");
                                        LockSupport.parkNanos(500_000_000);
                                    }
                                } catch (AssertionError e) {
                                    // The proxy has closed the connection.
                                }
                            });
            try {
                if (!client.awaitEnded()) {
                    Client.expect(408, client.response());
                }
            } finally {
                drip.interrupt();
            }
        }
    }

    private static void streams(Column column, String path) {
        try (var client = column.connect(EXPRESS)) {
            long start = System.nanoTime();
            client.request("GET", path + "?pause=" + SHORT_PAUSE.toMillis());
            var response = client.begin();
            response.awaitText("first");
            var waited = Duration.ofNanos(System.nanoTime() - start);
            Client.expect(
                    waited.compareTo(SHORT_PAUSE) < 0,
                    "the first part at once",
                    "it after " + waited.toMillis() + " ms");
            Client.expect(response.finish().text().contains("second"), "the second part", "none");
        }
    }

    private static void withHost(Column column) {
        try (var client = column.connect(EXPRESS)) {
            for (int i = 0; i < 2; i++) {
                client.send(
                        "GET /echo?q=%d HTTP/1.0\r\nHost: site.example\r\nConnection: keep-alive\r\n\r\n"
                                .formatted(i));
                var response = Client.expect(200, client.response());
                Client.expect("/echo?q=" + i, response.text());
            }
        }
        try (var client = column.connect(EXPRESS)) {
            client.send(
                    "GET /stream?pause=%d HTTP/1.0\r\nHost: site.example\r\n\r\n"
                            .formatted(SHORT_PAUSE.toMillis()));
            Response response = client.begin().finish();
            Client.expect("first\nsecond\n", response.text());
        }
    }

    private static void withoutHost(Column column, Settings settings) {
        try (var client = column.connect(EXPRESS, settings)) {
            client.send("GET /host HTTP/1.0\r\n\r\n");
            var response = Client.expect(200, client.response());
            if (column.kind() == Column.Kind.QUIRE) {
                Client.expect(HOST, response.text());
            }
        }
    }

    private static void healthCheck(Column column) throws IOException {
        int port = FreePort.next();
        column.at(
                EXPRESS,
                Settings.DEFAULT.with(
                        "admin",
                        "{ address: \"127.0.0.1:0\", probes: \"127.0.0.1:%d\" }".formatted(port)));
        try (var client =
                HttpWire.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            client.send("OPTIONS / HTTP/1.0\r\n\r\n");
            int status = client.response().status();
            Client.expect(status >= 200 && status < 400, "a status of 2xx or 3xx", status);
        }
    }

    private static void bothFamilies(Column column) throws IOException {
        var settings = Settings.DEFAULT.with("listen", "{ http: \"[::]:0\" }");
        int port = column.at(EXPRESS, settings).getPort();
        for (var address :
                List.of(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), loopback6())) {
            try (var client = HttpWire.to(new InetSocketAddress(address, port))) {
                Client.expect(200, client.get("/echo", "Host", HOST));
            }
        }
    }

    private static void shortAddress(Column column) throws IOException {
        var log = Files.createTempFile("access", ".log");
        var settings =
                Settings.DEFAULT
                        .with("listen", "{ http: \"[::1]:0\" }")
                        .with("log", "{ access: \"%s\" }".formatted(log));
        int port = column.at(EXPRESS, settings).getPort();
        try (var client = HttpWire.to(new InetSocketAddress(loopback6(), port))) {
            Client.expect(200, client.get("/echo", "Host", HOST));
        }
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (Files.size(log) == 0 && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(10_000_000);
        }
        var line = Files.readString(log);
        Files.delete(log);
        Client.expect(line.contains("\"::1\""), "\"::1\"", line.strip());
    }

    private static InetAddress loopback6() throws IOException {
        var address = new byte[16];
        address[15] = 1;
        return InetAddress.getByAddress(address);
    }
}
