package dev.quire.proxy.cel;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.rule.RequestPhase;
import dev.quire.core.rule.RequestRules;
import dev.quire.core.rule.RuleValues;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

/** Requests as the request phase shows them to rules. */
final class TestValues {
    static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private TestValues() {}

    /** A GET request for {@code target} on {@code news.example} with {@code lines}. */
    static RuleValues get(String target, String... lines) {
        return request("GET", "news.example", target, lines);
    }

    static RuleValues request(String method, String authority, String target, String... lines) {
        return requestFrom("192.0.2.7", method, authority, target, lines);
    }

    static RuleValues requestFrom(
            String client, String method, String authority, String target, String... lines) {
        var fields = new Fields.Builder();
        for (var line : lines) {
            int colon = line.indexOf(':');
            fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
        }
        var head = new RequestHead(method, Scheme.HTTP, authority, target, fields.build());
        return RequestRules.NONE.begin(
                new RequestPhase.Subject(
                        head, () -> address(client), true, 2, "HTTP/1.1", () -> NOON));
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
