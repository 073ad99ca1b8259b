package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.SignedVariant;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Turns the field lines of a client into those that go up to the origin: what belongs to the
 * client's connection is left out (RFC 9110 §7.6.1), and so is what only a proxy may claim; our own
 * claims are set in its place.
 */
public final class ClientFields {
    /** How we call ourselves in Via (RFC 9110 §7.6.3). */
    static final String PSEUDONYM = "quire";

    private static final String FORWARDED_FOR = "X-Forwarded-For";
    private static final String FORWARDED_PROTO = "X-Forwarded-Proto";
    private static final String FORWARDED_HOST = "X-Forwarded-Host";

    /**
     * Of this connection only, or answered here (Expect), or describing what is dropped (Trailer).
     */
    private static final Set<String> HOP_BY_HOP =
            ignoringCase(
                    "Connection",
                    "Content-Length",
                    "Expect",
                    "HTTP2-Settings",
                    "Keep-Alive",
                    "Proxy-Authenticate",
                    "Proxy-Authentication-Info",
                    "Proxy-Authorization",
                    "Proxy-Connection",
                    "TE",
                    "Trailer",
                    "Transfer-Encoding",
                    "Upgrade");

    /** Would make the origin answer another request than the one the cache key names. */
    private static final Set<String> OVERRIDES =
            ignoringCase(
                    "Proxy",
                    "X-Host",
                    "X-HTTP-Method",
                    "X-HTTP-Method-Override",
                    "X-Method-Override",
                    "X-Original-URL",
                    "X-Rewrite-URL");

    /** What we say of a fragment's place; nobody else may. */
    private static final Set<String> PLACE = ignoringCase("X-ESI-Level", "X-ESI-Parent");

    /** Would make the answer another one than that to the request the cache key names. */
    private static final Set<String> ANSWER =
            ignoringCase(
                    "Accept-Encoding",
                    "Host",
                    "If-Match",
                    "If-Modified-Since",
                    "If-None-Match",
                    "If-Range",
                    "If-Unmodified-Since",
                    "Range",
                    "Via");

    /** Claims about who asked, worth as much as the peer who makes them. */
    private static final Set<String> CLAIMS = ignoringCase("Forwarded", "X-Real-IP");

    private final Predicate<InetAddress> trusted;

    /**
     * @param trusted peers whose X-Forwarded-* is extended instead of replaced
     */
    public ClientFields(Predicate<InetAddress> trusted) {
        this.trusted = trusted;
    }

    /** Whether {@code peer} is believed in what it says about the client behind it. */
    public boolean trusts(InetAddress peer) {
        return trusted.test(peer);
    }

    /**
     * The field lines to send to the origin. Missing are {@code Surrogate-Capability}, which
     * depends on the fetch, and the framing, which belongs to the connection.
     *
     * @param peer the other end of the client's connection
     */
    public NettyFields up(RequestHead head, InetAddress peer) {
        boolean believed = trusts(peer);
        var nominated = nominated(head.fields());
        var up = newHeaders();
        head.fields()
                .forEach((name, value) -> {
                    if (!isDropped(name, believed) && !nominated.contains(name)) {
                        up.add(name, value);
                    }
                });
        up.add("Via", "1.1 " + PSEUDONYM);
        forwarded(head, NetUtil.toAddressString(peer), up);
        return new NettyFields(up);
    }

    private static void forwarded(RequestHead head, String peer, HttpHeaders up) {
        var before = up.getAll(FORWARDED_FOR);
        up.set(FORWARDED_FOR, before.isEmpty() ? peer : String.join(", ", before) + ", " + peer);
        if (!up.contains(FORWARDED_PROTO)) {
            up.add(FORWARDED_PROTO, head.scheme().text());
        }
        if (!up.contains(FORWARDED_HOST)) {
            up.add(FORWARDED_HOST, head.authority());
        }
    }

    /** Whether {@code name} can be the name of a field (RFC 9110 §5.1), spelt in one way only. */
    public static boolean isName(String name) {
        return Grammar.isToken(name) && name.indexOf('_') < 0;
    }

    /** Whether {@code value} can be the value of a field (RFC 9110 §5.5), in ISO 8859-1. */
    public static boolean isValue(String value) {
        return value.chars().allMatch(c -> Grammar.isFieldValue(c) && c <= 0xff);
    }

    /** Whether the field {@code name} of a request is for nobody but us to write. */
    public static boolean isReserved(String name) {
        return HOP_BY_HOP.contains(name)
                || OVERRIDES.contains(name)
                || PLACE.contains(name)
                || ANSWER.contains(name)
                || CLAIMS.contains(name)
                || isSurrogate(name)
                || isForwarded(name)
                || name.equalsIgnoreCase(SignedVariant.FIELD);
    }

    private static boolean isDropped(String name, boolean believed) {
        return HOP_BY_HOP.contains(name)
                || OVERRIDES.contains(name)
                || PLACE.contains(name)
                || isSurrogate(name)
                || (!believed && (isForwarded(name) || CLAIMS.contains(name)));
    }

    /** Whether {@code name} is one of X-Forwarded-*. */
    static boolean isForwarded(String name) {
        return startsWith(name, "X-Forwarded-");
    }

    /** Whether {@code name} is one of Surrogate-*. */
    static boolean isSurrogate(String name) {
        return startsWith(name, "Surrogate-");
    }

    private static boolean startsWith(String name, String prefix) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }

    private static Set<String> nominated(Fields fields) {
        var lines = fields.all("Connection");
        if (lines.isEmpty()) {
            return Set.of();
        }
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        for (var line : lines) {
            for (var name : line.split(",", -1)) {
                names.add(name.strip());
            }
        }
        return names;
    }

    // The lines were checked as they arrived.
    private static HttpHeaders newHeaders() {
        return DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
    }

    private static Set<String> ignoringCase(String... names) {
        var set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(List.of(names));
        return set;
    }
}
