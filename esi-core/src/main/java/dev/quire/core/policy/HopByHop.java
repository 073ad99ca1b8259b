package dev.quire.core.policy;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import java.util.Set;
import java.util.TreeSet;

/**
 * The hop-by-hop fields, which belong to one connection and are not forwarded (RFC 9110 §7.6.1).
 */
public final class HopByHop {
    /** Trailer describes a section that is not forwarded; the Proxy- fields are for a proxy. */
    private static final FieldNames NAMES =
            FieldNames.of(
                    "connection",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authentication-info",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    /** The place of a fragment in its page, which a surrogate sends to the origin. */
    private static final FieldNames PLACE = FieldNames.of("x-esi-level", "x-esi-parent");

    private HopByHop() {}

    /** Whether {@code name} is hop-by-hop whatever {@code Connection} names. */
    public static boolean isHopByHop(String name) {
        return NAMES.contains(name);
    }

    /**
     * Returns the names that the {@code Connection} lines of {@code fields} nominate, in a set that
     * ignores case.
     */
    public static Set<String> nominated(Fields fields) {
        var lines = fields.all("Connection");
        if (lines.isEmpty()) {
            return Set.of();
        }
        var names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(FieldList.members(lines));
        return names;
    }

    /**
     * Whether only a surrogate may send the request field {@code name}: Surrogate-*, and the place
     * of a fragment in its page (Edge Architecture §2).
     */
    public static boolean isOfSurrogates(String name) {
        return isSurrogate(name) || PLACE.contains(name);
    }

    /** Whether {@code name} is one of Surrogate-*. */
    public static boolean isSurrogate(String name) {
        return startsWith(name, "surrogate-");
    }

    /** Whether {@code name} starts with {@code prefix}, regardless of case. */
    static boolean startsWith(String name, String prefix) {
        return name.regionMatches(true, 0, prefix, 0, prefix.length());
    }
}
