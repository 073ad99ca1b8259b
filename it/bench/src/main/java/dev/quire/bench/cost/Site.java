package dev.quire.bench.cost;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.Proxy;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.exchange.Time;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import io.netty.channel.Channel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * A site of a few pages: its origin, and two proxies in front of it in this JVM, one of which has
 * rules. Thread-safe.
 */
final class Site implements AutoCloseable {
    static final int FRAGMENTS = 10;

    /** Name prefix of the proxies' event loop threads. */
    static final String LOOPS = "quire-loop";

    private static final int OBJECT_BYTES = 1024;
    private static final int PAGE_BYTES = 16 * 1024;

    /** Timeouts are so long that none expires on a busy machine. */
    private static final String CONFIGURATION =
            """
            listen: { http: "127.0.0.1:0", keep-alive: 1h }
            admin: { address: "127.0.0.1:0" }
            log: { access: off }
            cache: { memory: 64MiB }
            deliver: { first-flush: 10m }
            esi: { include-timeout: 10m, page-deadline: 10m }
            routes: [ { host: "*", path: "/**", origin: site } ]
            origins:
              site:
                urls: [ "ORIGIN" ]
                connect-timeout: 10m
                first-byte-timeout: 10m
                between-bytes-timeout: 10m
            """;

    /** None matches a request of {@link Asked#RULED}. */
    private static final String RULES =
            """
            rules:
              request:
                - { name: admin, match: { path: /admin/** }, deny: 403 }
                - { name: staging, match: { host: staging.news.example }, deny: 403 }
                - { name: writes, match: { method: [PUT, DELETE] }, deny: 405 }
                - { name: api, match: { header: { authorization: "*" } }, cache: pass }
                - { name: scanners, match: { header: { user-agent: "*sqlmap*" } }, deny: 403 }
                - { name: editors, match: { cookie-name: "wordpress_logged_in*" }, cache: pass }
                - { name: trial, match: { cookie: { ab: b } }, cache: pass }
                - { name: preview, match: { query: { preview: "1" } }, cache: pass }
                - { name: scripts, match: { path: "/**.php" }, deny: 404 }
                - { name: inside, match: { client: 10.0.0.0/8 }, deny: 403 }
            """;

    private static final long SEED = 20_261_120L;
    private static final List<String> WORDS =
            List.of(
                    ("council vote after the of a in budget school bridge winter train says new "
                                    + "plan for city minister court rain final goal market and to harbour strike")
                            .split(" ", -1));

    private final Random random = new Random(SEED);
    private final Origin origin = Origin.start();
    private final Proxy plain;
    private final Proxy ruled;
    private final InetSocketAddress address;
    private final InetSocketAddress ruledAddress;
    private final byte[] object = text(OBJECT_BYTES).getBytes(US_ASCII);
    private final byte[] page;
    private final byte[] ownPage;

    private Site(UnaryOperator<String> tiers) throws IOException, CannotStart {
        var fragments = new StringBuilder[] {new StringBuilder(), new StringBuilder()};
        var template = new StringBuilder();
        var ownTemplate = new StringBuilder();
        for (int i = 0; i < FRAGMENTS; i++) {
            var text = text(PAGE_BYTES / (FRAGMENTS + 1));
            var fragment = text(OBJECT_BYTES);
            var path = "/fragment/" + i;
            origin.on(path, stored(fragment));
            var include = "<esi:include src=\"" + path + "\"/>";
            template.append(text).append(include);
            ownTemplate.append(text).append(include);
            for (var assembled : fragments) {
                assembled.append(text).append(fragment);
            }
            if (i == FRAGMENTS / 2) {
                var own = text(OBJECT_BYTES);
                origin.on("/own", html(own).field("Cache-Control", "private, no-store"));
                ownTemplate.append("<p><esi:include src=\"/own\"/>");
                fragments[1].append("<p>").append(own);
            }
        }
        origin.on("/object", stored(new String(object, US_ASCII)));
        origin.on("/page", page(template + "</html>"));
        origin.on("/own-page", page(ownTemplate + "</html>"));
        page = (fragments[0] + "</html>").getBytes(US_ASCII);
        ownPage = (fragments[1] + "</html>").getBytes(US_ASCII);
        plain = new Proxy(configuration(tiers.apply("plain")), Time.system());
        ruled = new Proxy(configuration(RULES + tiers.apply("ruled")), Time.system());
        address = plain.start().http();
        ruledAddress = ruled.start().http();
    }

    /**
     * Starts a site on free loopback ports, with an empty cache.
     *
     * @throws IOException if it cannot be started
     */
    static Site start() throws IOException {
        return start(name -> "");
    }

    /**
     * Starts a site on free loopback ports, with an empty memory.
     *
     * @param tiers returns the sections of the lower tiers for the proxy with a name
     * @throws IOException if it cannot be started
     */
    static Site start(UnaryOperator<String> tiers) throws IOException {
        try {
            return new Site(tiers);
        } catch (CannotStart e) {
            throw new IOException("the proxy did not start: " + e.getMessage(), e);
        }
    }

    /** The listening address of the proxy for {@code asked}. */
    InetSocketAddress address(Asked asked) {
        return asked.isRuled() ? ruledAddress : address;
    }

    /** The address of the proxy for {@code asked} as a value of Host. */
    String authority(Asked asked) {
        var listening = address(asked);
        return listening.getAddress().getHostAddress() + ":" + listening.getPort();
    }

    /**
     * Has the proxy for {@code asked} serve {@code client}, which may only request stored
     * responses.
     */
    void serve(Asked asked, Channel client) {
        (asked.isRuled() ? ruled : plain).serve(client);
    }

    /** Returns the body of the response to {@code asked}, before any content coding. */
    byte[] body(Asked asked) {
        return switch (asked) {
            case HIT, RULED -> object;
            case PAGE, GZIP -> page;
            case PRIVATE -> ownPage;
        };
    }

    /** Clears the requests the origin has recorded, which would fill the heap. */
    void forget() {
        origin.forget();
    }

    @Override
    public void close() {
        plain.close();
        ruled.close();
        origin.close();
    }

    private Configuration configuration(String more) throws IOException {
        var file = Files.createTempFile("quire", ".yml");
        try {
            var text = CONFIGURATION + more;
            Files.writeString(file, text.replace("ORIGIN", origin.url().toString()));
            return Configuration.of(Options.NONE.withFile(file));
        } catch (InvalidConfiguration e) {
            throw new IllegalStateException("invalid configuration: " + e.getMessage(), e);
        } finally {
            Files.delete(file);
        }
    }

    private static Answer stored(String body) {
        return html(body).field("Cache-Control", "max-age=86400").field("ETag", "\"1\"");
    }

    private static Answer page(String template) {
        return html(template)
                .field("Cache-Control", "max-age=86400")
                .field("Surrogate-Control", "content=\"ESI/1.0\"");
    }

    private static Answer html(String body) {
        return Answer.html(body).field("Server", "news");
    }

    private String text(int bytes) {
        var text = new StringBuilder("<p>");
        while (text.length() < bytes) {
            text.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
        }
        return text.substring(0, bytes);
    }
}
