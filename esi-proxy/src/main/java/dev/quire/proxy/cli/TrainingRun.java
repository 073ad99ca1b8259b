package dev.quire.proxy.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Options;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Starts the proxy and sends it requests of every common kind, on loopback ports and with a
 * built-in origin. During this the JVM can record the classes used; an archive of them shortens
 * later starts. Every wait is limited to ten seconds.
 */
final class TrainingRun {
    private static final int WAIT_MILLIS = 10_000;

    /** Enough for the JVM to have profiled the code of a hit. */
    private static final int ROUNDS = 100;

    private static final int ROUNDS_BETWEEN_PURGES = 20;
    private static final int ROUNDS_BETWEEN_HANDSHAKES = 10;

    private static final Pattern WELL = Pattern.compile("HTTP/1\\.1 [23]");
    private static final String CRLF = "\r\n";

    private static final String PAGE =
            """
            <html><body><esi:vars>$(HTTP_HOST)</esi:vars>
            <esi:include src="/part"/><esi:include src="/own"/><esi:remove>none</esi:remove>
            <esi:choose><esi:when test="$(HTTP_COOKIE{edition})=='late'">late</esi:when>
            <esi:otherwise><esi:include src="/part?2"/></esi:otherwise></esi:choose>
            <esi:try><esi:attempt><esi:include src="/missing"/></esi:attempt>
            <esi:except>nothing</esi:except></esi:try></body></html>
            """;

    /** Sent on one connection, pipelined. */
    private static final List<Request> OF_CLIENTS =
            List.of(
                    Request.get("/part"),
                    new Request("HEAD", "/part", "", ""),
                    Request.get("/page"),
                    Request.get("/part?2", "Range: bytes=0-1"),
                    Request.get("/part", "If-None-Match: \"1\""),
                    Request.get("/part", "Accept-Encoding: gzip, deflate, br, zstd"),
                    Request.get("/page", "Accept-Encoding: gzip, deflate, br, zstd"),
                    Request.get("/own", "Cookie: edition=late"),
                    new Request("POST", "/own", "Content-Type: text/plain", "late"),
                    Request.get("/page", "Connection: close"));

    /** Sent over https by the proxy to itself. */
    private static final List<Request> SECURE =
            List.of(
                    new Request("GET", "secure.test", "/part", "", ""),
                    new Request("GET", "secure.test", "/page", "Connection: close", ""));

    private static final List<String> OF_HTTP_2 = List.of("/part", "/page", "/own", "/part?2");

    /** The files of a certificate for localhost; its key is public. */
    private static final List<String> KEY_PAIR = List.of("rehearsal.pem", "rehearsal.key");

    /** Each sent on its own connection. */
    private static final List<Request> OF_OPERATORS =
            List.of(
                    Request.get("/healthz", "Connection: close"),
                    Request.get("/readyz", "Connection: close"),
                    Request.get("/v1/stats", "Connection: close"),
                    Request.get("/metrics", "Connection: close"),
                    new Request(
                            "POST",
                            "/v1/purge",
                            "Content-Type: application/json\r\nConnection: close",
                            "{\"tags\":[\"part\"],\"urls\":[\"http://localhost/page\"]}"));

    /**
     * One request.
     *
     * @param fields header lines other than Host and Content-Length, or empty
     */
    private record Request(String method, String host, String target, String fields, String body) {

        Request(String method, String target, String fields, String body) {
            this(method, "localhost", target, fields, body);
        }

        static Request get(String target) {
            return get(target, "");
        }

        static Request get(String target, String fields) {
            return new Request("GET", target, fields, "");
        }

        @Override
        public String toString() {
            return method
                    + " "
                    + target
                    + " HTTP/1.1\r\nHost: "
                    + host
                    + CRLF
                    + (body.isEmpty() ? "" : "Content-Length: " + body.length() + CRLF)
                    + (fields.isEmpty() ? "" : fields + CRLF)
                    + CRLF
                    + body;
        }
    }

    private final Function<LoadedConfiguration, Server> servers;

    /**
     * @param servers creates a server, not yet started, from a valid configuration
     */
    TrainingRun(Function<LoadedConfiguration, Server> servers) {
        this.servers = servers;
    }

    /**
     * Starts the server, sends the requests, and stops the server.
     *
     * @throws IOException if loopback or the folder for temporary files cannot be used, or a
     *     response is not the expected one
     */
    void run() throws IOException, InvalidConfiguration, CannotStart {
        var folder = Files.createTempDirectory("quire-rehearsal");
        var file = folder.resolve("quire.yaml");
        var log = folder.resolve("access.log");
        try (var origin = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().name("rehearsed-origin").start(() -> serve(origin));
            for (var name : KEY_PAIR) {
                copy(name, folder);
            }
            Files.writeString(file, configuration(origin.getLocalPort(), freePort(), log));
            var server =
                    servers.apply(
                            LoadedConfiguration.of(Options.NONE.withFile(file), warning -> {}));
            var addresses = server.start();
            try {
                ask(addresses);
            } finally {
                server.drainAndStop();
            }
        } finally {
            Files.deleteIfExists(file);
            Files.deleteIfExists(log);
            for (var name : KEY_PAIR) {
                Files.deleteIfExists(folder.resolve(name));
            }
            Files.deleteIfExists(folder);
        }
    }

    private static void copy(String name, Path folder) throws IOException {
        try (var in = TrainingRun.class.getResourceAsStream(name)) {
            Files.copy(Objects.requireNonNull(in, name), folder.resolve(name));
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Requests for {@code secure.test} come back over https: both sides of TLS are rehearsed. */
    private static String configuration(int originPort, int httpsPort, Path log) {
        return """
        listen: { http: "127.0.0.1:0", https: "127.0.0.1:%2$d", h2c: true }
        admin: { address: "127.0.0.1:0" }
        tls: { certificates: [ { cert: rehearsal.pem, key: rehearsal.key } ] }
        origins:
          rehearsed: { urls: ["http://127.0.0.1:%1$d"] }
          itself:
            urls: ["https://localhost:%2$d"]
            host: localhost
            tls: { verify: none }
        routes:
          - { host: secure.test, origin: itself, ttl: 0s }
          - { host: "*", path: "/**", origin: rehearsed, esi: auto }
        cache: { memory: 4MiB, max-object: 1MiB }
        log: { access: '%3$s' }
        """
                .formatted(originPort, httpsPort, log.toString().replace("'", "''"));
    }

    private static void ask(ListenAddresses addresses) throws IOException {
        var trust = trust();
        for (int round = 0; round < ROUNDS; round++) {
            ask(addresses.http(), OF_CLIENTS);
            ask(addresses.http(), SECURE);
            askHttp2(connected(addresses.http()), Scheme.HTTP);
            if (round % ROUNDS_BETWEEN_HANDSHAKES == 0) {
                askHttp2(secured(connected(addresses.https()), trust), Scheme.HTTPS);
            }
            if (round % ROUNDS_BETWEEN_PURGES == 0) {
                for (var request : OF_OPERATORS) {
                    ask(addresses.admin(), List.of(request));
                }
            }
        }
    }

    /** Sends all {@code requests}; the last one closes the connection. */
    private static void ask(InetSocketAddress address, List<Request> requests) throws IOException {
        var asked = requests.stream().map(Request::toString).collect(Collectors.joining());
        String answers;
        try (var connection = connected(address)) {
            connection.getOutputStream().write(asked.getBytes(US_ASCII));
            answers = new String(connection.getInputStream().readAllBytes(), US_ASCII);
        }
        int good = WELL.split(answers, -1).length - 1;
        if (good != requests.size()) {
            throw new IOException(
                    "%d of %d requests to %s succeeded: %s"
                            .formatted(good, requests.size(), address, answers));
        }
    }

    private static void askHttp2(Socket connection, Scheme scheme) throws IOException {
        int responses = RehearsedHttp2.responses(connection, scheme, OF_HTTP_2);
        if (responses != OF_HTTP_2.size()) {
            throw new IOException(
                    "%d of %d requests of HTTP/2 by %s succeeded"
                            .formatted(responses, OF_HTTP_2.size(), scheme));
        }
    }

    private static Socket connected(InetSocketAddress address) throws IOException {
        var connection = new Socket();
        connection.connect(address, WAIT_MILLIS);
        connection.setSoTimeout(WAIT_MILLIS);
        return connection;
    }

    /** Agrees on HTTP/2 in TLS (RFC 9113 §3.2). */
    private static Socket secured(Socket connection, SSLContext trust) throws IOException {
        var secured =
                (SSLSocket)
                        trust.getSocketFactory().createSocket(connection, "localhost", 443, true);
        var parameters = secured.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        secured.setSSLParameters(parameters);
        secured.startHandshake();
        return secured;
    }

    /** Trusts the certificate of the rehearsal. */
    private static SSLContext trust() throws IOException {
        try (var in = TrainingRun.class.getResourceAsStream(KEY_PAIR.getFirst())) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(
                    "rehearsal", CertificateFactory.getInstance("X.509").generateCertificate(in));
            var managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException missing) {
            throw new IOException("no TLS in this Java", missing);
        }
    }

    private static void serve(ServerSocket origin) {
        try {
            while (true) {
                var connection = origin.accept();
                Thread.ofVirtual().name("rehearsed-origin").start(() -> serve(connection));
            }
        } catch (IOException over) {
            // Closed at the end of the rehearsal.
        }
    }

    private static void serve(Socket connection) {
        try (connection) {
            var in =
                    new BufferedReader(
                            new InputStreamReader(connection.getInputStream(), US_ASCII));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                var target = line.split(" ", 3)[1];
                long body = 0;
                for (var field = in.readLine(); field != null && !field.isEmpty(); ) {
                    if (field.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                        body = Long.parseLong(field.substring("content-length: ".length()));
                    }
                    field = in.readLine();
                }
                in.skip(body);
                connection.getOutputStream().write(answer(target).getBytes(US_ASCII));
            }
        } catch (IOException left) {
            // The client sees that the response is missing.
        }
    }

    private static String answer(String target) {
        return switch (target) {
            case "/page" ->
                    answer("200 OK", PAGE, "Surrogate-Control: max-age=60, content=\"ESI/1.0\"");
            case "/own" -> answer("200 OK", "own", "Cache-Control: private, no-store");
            case "/missing" -> answer("404 Not Found", "missing", "Cache-Control: no-store");
            default ->
                    answer(
                            "200 OK",
                            "part",
                            "Cache-Control: max-age=60\r\nSurrogate-Key: part\r\nETag: \"1\"");
        };
    }

    private static String answer(String status, String body, String fields) {
        return "HTTP/1.1 "
                + status
                + "\r\nContent-Type: text/html\r\nContent-Length: "
                + body.length()
                + CRLF
                + fields
                + CRLF
                + CRLF
                + body;
    }
}
