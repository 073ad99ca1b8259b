package dev.quire.core.policy;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.RequestHead;

/**
 * Which fields of a client's request go up to the origin, which of them a fragment's request keeps,
 * and which an include may change. All names are compared without regard to case.
 */
public final class RequestFields {
    /** The framing of the client's message, and the expectation that we answer ourselves. */
    private static final FieldNames MESSAGE = FieldNames.of("content-length", "expect");

    /** The origin would answer another request than the one that the cache key names. */
    private static final FieldNames OVERRIDES =
            FieldNames.of(
                    "proxy",
                    "x-host",
                    "x-http-method",
                    "x-http-method-override",
                    "x-method-override",
                    "x-original-url",
                    "x-rewrite-url");

    /** Claims about the client, as credible as the peer who makes them. */
    private static final FieldNames CLAIMS = FieldNames.of("forwarded", "x-real-ip");

    /** The answer would not be the one to the request that the cache key names. */
    private static final FieldNames SELECTING =
            FieldNames.of("accept-encoding", "host", "range", "via", SignedVariant.FIELD);

    private static final FieldNames OF_PAGE = FieldNames.of("accept-encoding", "expect", "range");

    /** Credentials, and what tells who the client is or what page it reads. */
    private static final FieldNames OF_OWN_HOST =
            FieldNames.of(
                    "authorization",
                    "client-cert",
                    "client-cert-chain",
                    "cookie",
                    "forwarded",
                    "referer",
                    "x-forwarded-client-cert",
                    "x-forwarded-for",
                    "x-real-ip",
                    SignedVariant.FIELD);

    private RequestFields() {}

    /**
     * Whether a client's field goes up to the origin; the fields that {@code Connection} nominates
     * do not either ({@link HopByHop#nominated}).
     *
     * @param isBelieved whether the client is trusted in what it says of a client behind it
     */
    public static boolean goesUp(String name, boolean isBelieved) {
        return !HopByHop.isHopByHop(name)
                && !isOfMessage(name)
                && !OVERRIDES.contains(name)
                && !HopByHop.isOfSurrogates(name)
                && (isBelieved || !isClaim(name));
    }

    /**
     * Whether an include may set or remove the field: not one that says where the request goes, how
     * it is framed or what we vouch for, nor one that would make the response another than the
     * cache takes it for, such as a part, a 304 or a coded body.
     */
    public static boolean mayBeEdited(String name) {
        return goesUp(name, false) && !SELECTING.contains(name) && !isCondition(name);
    }

    /**
     * Whether the field speaks of the page's own request, so that its fragments' requests do not
     * have it: conditions, ranges, codings, and the description of its body.
     */
    public static boolean isOfPageOnly(String name) {
        return OF_PAGE.contains(name) || isCondition(name) || isOfBody(name);
    }

    /** Whether the field goes to no host but the one that the client has asked. */
    public static boolean isForOwnHostOnly(String name) {
        return OF_OWN_HOST.contains(name)
                || HopByHop.startsWith(name, "proxy-")
                || HopByHop.startsWith(name, "ssl-client");
    }

    /** Whether the field is of the framing of one message, or an expectation of its sender. */
    public static boolean isOfMessage(String name) {
        return MESSAGE.contains(name);
    }

    /** Whether the field describes the body of its message (RFC 9110 §8). */
    public static boolean isOfBody(String name) {
        return HopByHop.startsWith(name, "content-");
    }

    /** Whether {@code name} is one of X-Forwarded-*. */
    public static boolean isForwarded(String name) {
        return HopByHop.startsWith(name, "x-forwarded-");
    }

    /** The request of a page as its fragments are judged by: a GET without conditions or body. */
    public static RequestHead ofFragments(RequestHead page) {
        boolean isPlain =
                page.isGet()
                        && !page.fields().contains("if-match")
                        && !page.fields().contains("if-unmodified-since");
        return isPlain
                ? page
                : new RequestHead(
                        "GET",
                        page.scheme(),
                        page.authority(),
                        page.target(),
                        page.fields().without(name -> isCondition(name) || isOfBody(name)));
    }

    private static boolean isClaim(String name) {
        return isForwarded(name) || CLAIMS.contains(name);
    }

    private static boolean isCondition(String name) {
        return HopByHop.startsWith(name, "if-");
    }
}
