package dev.quire.core.policy;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import java.util.function.Predicate;

/**
 * The trailer fields that are forwarded, of requests and of responses (RFC 9110 §6.5.1). They are
 * never stored, and never merged into the fields of a head.
 */
public final class TrailerFields {
    /**
     * Fields that control a connection, the request, authentication, or how the message is used,
     * which a recipient must know before the body.
     */
    private static final FieldNames FORBIDDEN =
            FieldNames.of(
                    "alt-svc",
                    "authentication-info",
                    "authorization",
                    "cache-control",
                    "cache-group-invalidation",
                    "cache-groups",
                    "cdn-cache-control",
                    "cdn-loop",
                    "clear-site-data",
                    "client-cert",
                    "client-cert-chain",
                    "cookie",
                    "date",
                    "early-data",
                    "expect",
                    "expires",
                    "forwarded",
                    "host",
                    "link",
                    "location",
                    "max-forwards",
                    "origin",
                    "pragma",
                    "range",
                    "refresh",
                    "retry-after",
                    "set-cookie",
                    "set-cookie2",
                    "strict-transport-security",
                    "vary",
                    "via",
                    "www-authenticate");

    /** The fields that describe the body and may follow it. */
    private static final FieldNames DIGESTS = FieldNames.of("content-digest", "content-md5");

    private TrailerFields() {}

    /**
     * Whether a field may be forwarded in a trailer section: not those that are forbidden there, or
     * that could change the meaning of the head if a recipient merges both.
     */
    public static boolean mayBeTrailer(String name) {
        return ResponseFields.goesToClients(name)
                && !HopByHop.isOfSurrogates(name)
                && !FORBIDDEN.contains(name)
                && (!HopByHop.startsWith(name, "content-") || DIGESTS.contains(name))
                && !HopByHop.startsWith(name, "access-control-")
                && !HopByHop.startsWith(name, "if-")
                && !HopByHop.startsWith(name, "proxy-")
                && !HopByHop.startsWith(name, "sec-")
                && !HopByHop.startsWith(name, "x-forwarded-");
    }

    /**
     * Returns the fields of {@code trailers} that are forwarded to clients that accept trailers.
     *
     * @param head the head of their response, whose {@code Connection} may nominate more of them
     */
    public static Fields ofResponse(Fields head, Fields trailers) {
        var nominated = HopByHop.nominated(head);
        return kept(trailers, name -> !nominated.contains(name));
    }

    /**
     * Returns the fields of {@code trailers} that are forwarded to an origin.
     *
     * @param named the names that its route forwards
     */
    public static Fields ofRequest(FieldNames named, Fields trailers) {
        return named.isEmpty() ? Fields.EMPTY : kept(trailers, named::contains);
    }

    private static Fields kept(Fields trailers, Predicate<String> names) {
        var kept = new Fields.Builder();
        trailers.forEach((name, value) -> {
            boolean isSound =
                    FieldSyntax.isToken(name) && value.chars().allMatch(FieldSyntax::isValueChar);
            if (isSound && mayBeTrailer(name) && names.test(name)) {
                kept.add(name, value);
            }
        });
        return kept.build();
    }
}
