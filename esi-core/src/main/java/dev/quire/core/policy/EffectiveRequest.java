package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A client's request as the origin gets it. Routing, cache key, variants, expressions and the
 * request to the origin are all derived from it, so that none of them uses a value that another one
 * ignores.
 *
 * @param head with the scheme that the client used, the authority in the form of the cache key, and
 *     the fields for the origin: without hop-by-hop and nominated fields (RFC 9110 §7.6.1) and
 *     fields that only a proxy may set, with our own {@code Via} and {@code X-Forwarded-*}
 * @param keyedFields the names, in lower case, of the believed forwarding fields in {@code head};
 *     their values are part of the cache key
 */
public record EffectiveRequest(RequestHead head, List<String> keyedFields) {
    static final String FORWARDED_FOR = "X-Forwarded-For";
    static final String FORWARDED_HOST = "X-Forwarded-Host";
    static final String FORWARDED_PROTO = "X-Forwarded-Proto";

    /**
     * The sender of a request.
     *
     * @param address of the connection, as text, without a port
     * @param isTrusted whether its X-Forwarded-For and X-Forwarded-Proto are extended instead of
     *     replaced
     * @param believed further forwarding fields that are forwarded if it is trusted
     */
    public record Sender(String address, boolean isTrusted, FieldNames believed) {

        /** Whether the forwarding field {@code name} is forwarded. */
        boolean isBelieved(String name) {
            return isTrusted && believed.contains(name);
        }
    }

    public EffectiveRequest {
        keyedFields = List.copyOf(keyedFields);
    }

    /** Converts {@code received}, a valid request, from {@code sender}. */
    public static EffectiveRequest of(RequestHead received, Sender sender) {
        var scheme = sender.isTrusted() ? forwardedScheme(received) : received.scheme();
        var authority = CacheKey.authority(received.authority(), scheme);
        var fields = new EffectiveFields(received.fields(), sender, scheme, authority);
        return new EffectiveRequest(
                new RequestHead(received.method(), scheme, authority, received.target(), fields),
                keyed(received.fields(), sender));
    }

    /** Whether {@code fields} contain a claim about a client behind their sender. */
    public static boolean isForwarded(Fields fields) {
        var found = new boolean[1];
        fields.forEach((name, value) -> found[0] |= RequestFields.isClaim(name));
        return found[0];
    }

    /** The scheme given by the last proxy, which is the one that is trusted. */
    private static Scheme forwardedScheme(RequestHead received) {
        var lines = received.fields().all(FORWARDED_PROTO);
        if (!lines.isEmpty()) {
            var members = FieldList.members(lines);
            var last = members.isEmpty() ? "" : members.get(members.size() - 1);
            for (var scheme : Scheme.values()) {
                if (scheme.text().equalsIgnoreCase(last)) {
                    return scheme;
                }
            }
        }
        return received.scheme();
    }

    private static List<String> keyed(Fields received, Sender sender) {
        if (!sender.isTrusted() || sender.believed().isEmpty()) {
            return List.of();
        }
        var names = new ArrayList<String>(0);
        received.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (RequestFields.isClaim(name) && sender.isBelieved(name) && !names.contains(lower)) {
                names.add(lower);
            }
        });
        return names;
    }
}
