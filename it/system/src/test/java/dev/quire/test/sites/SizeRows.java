package dev.quire.test.sites;

import static dev.quire.test.sites.Servers.Name.DJANGO;
import static dev.quire.test.sites.Servers.Name.EXPRESS;
import static dev.quire.test.sites.Servers.Name.FILES;
import static dev.quire.test.sites.Servers.Name.TOMCAT;
import static dev.quire.test.sites.Servers.Name.WORDPRESS;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** Bytes of bodies for a client that accepts gzip and br: never more than the origin's own. */
final class SizeRows {
    /** nginx does not compress for a request with Via. */
    private static final Settings WITHOUT_VIA = Settings.DEFAULT.withOrigin("via: off");

    private static final double MARGIN = 1.01;

    private static final Pattern TOKEN = Pattern.compile("csrfmiddlewaretoken\" value=\"\\w+");

    private SizeRows() {}

    static List<Row> all(boolean withPackages) {
        var rows = new ArrayList<>(always());
        if (withPackages) {
            rows.add(size(WORDPRESS, "/"));
            rows.add(size(WORDPRESS, "/wp-includes/js/jquery/jquery.min.js"));
            rows.add(size(WORDPRESS, "/wp-includes/css/dashicons.min.css"));
            rows.add(size(WORDPRESS, "/wp-json/"));
            rows.add(size(DJANGO, "/admin/login/"));
        }
        return rows;
    }

    private static List<Row> always() {
        return List.of(
                size(EXPRESS, "/page"),
                size(EXPRESS, "/articles"),
                size(EXPRESS, "/api"),
                size(EXPRESS, "/script.js"),
                size(FILES, "/docs/changelog.html"),
                size(FILES, "/docs/manager-howto.html"),
                size(FILES, "/docs/images/docs-stylesheet.css"),
                size(FILES, "/docs/RELEASE-NOTES.txt"),
                size(FILES, "/docs/images/tomcat.png"),
                size(TOMCAT, "/examples/servlets/index.html"),
                size(TOMCAT, "/examples/jsp/index.html"),
                size(TOMCAT, "/examples/servlets/servlet/RequestInfoExample"),
                size(TOMCAT, "/examples/jsp/jsp2/el/functions.jsp?foo=JSP+2.0"));
    }

    private static Row size(Servers.Name server, String target) {
        var settings = server == FILES || server == WORDPRESS ? WITHOUT_VIA : Settings.DEFAULT;
        return new Row(
                "1.2",
                server.name().toLowerCase(Locale.ROOT) + " " + target,
                Row.ALL,
                column -> {
                    var own = ask(column.servers().address(server), target);
                    long most = (long) (own.body().length() * MARGIN);
                    // The second request may be answered from the cache.
                    var first = ask(column.at(server, settings), target);
                    var second = ask(column.at(server, settings), target);
                    for (var response : List.of(first, second)) {
                        int bytes = response.body().length();
                        Client.expect(bytes <= most, "at most " + most + " bytes", bytes);
                    }
                    same(own, second);
                    return "%,d".formatted(Math.max(first.body().length(), second.body().length()));
                });
    }

    private static Response ask(InetSocketAddress at, String target) {
        try (var client = HttpWire.to(at)) {
            // One Host for all, for pages that show it.
            return Client.expect(
                    200, client.get(target, "Host", "site.example", "Accept-Encoding", "gzip, br"));
        }
    }

    private static void same(Response own, Response other) throws IOException {
        if (isBrotli(own) && isBrotli(other)) {
            Client.expect(own.body().equals(other.body()), "the origin's body", "another");
        } else if (!isBrotli(own) && !isBrotli(other)) {
            Client.expect(plain(own).equals(plain(other)), "the origin's body", "another");
        }
    }

    private static boolean isBrotli(Response response) {
        return "br".equals(response.field("Content-Encoding"));
    }

    /** The body without Django's tokens, which are new in each response. */
    private static String plain(Response response) throws IOException {
        return TOKEN.matcher(new String(decoded(response), ISO_8859_1)).replaceAll("");
    }

    private static byte[] decoded(Response response) throws IOException {
        var bytes = response.body().bytes();
        if (!"gzip".equals(response.field("Content-Encoding"))) {
            return bytes;
        }
        try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        }
    }
}
