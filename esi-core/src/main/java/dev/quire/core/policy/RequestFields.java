package dev.quire.core.policy;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.RequestHead;
import java.util.Set;

/**
 * Which fields of a client's request are forwarded to the origin, which of them are copied to
 * fragment requests, and which an include may change. Names are compared regardless of case.
 */
public final class RequestFields {
    /** The framing of the client's message, and Expect, which the proxy answers itself. */
    private static final FieldNames MESSAGE = FieldNames.of("content-length", "expect");

    /** They could make the origin answer a request other than the one of the cache key. */
    private static final FieldNames OVERRIDES =
            FieldNames.of(
                    "proxy",
                    "x-host",
                    "x-http-method",
                    "x-http-method-override",
                    "x-method-override",
                    "x-original-url",
                    "x-rewrite-url");

    /**
     * Claims about a client behind the sender, about who it is or about the address it used, only
     * as trustworthy as the sender. Authenticating proxies and terminators of TLS set them.
     */
    private static final FieldNames CLAIMS =
            FieldNames.of(
                    Set.of(
                            "forwarded",
                            "front-end-https",
                            "path-info",
                            "remote-email",
                            "remote-groups",
                            "remote-name",
                            "remote-user",
                            "script-name",
                            "x-arr-clientcert",
                            "x-forwarded",
                            "x-http-host-override",
                            "x-original-host",
                            "x-original-uri",
                            "x-real-ip",
                            "x-rewrite-uri",
                            "x-scheme",
                            "x-script-name",
                            "x-url-scheme"),
                    Set.of(
                            "client-cert",
                            "ssl-client",
                            "x-amzn-oidc-",
                            "x-auth-request-",
                            "x-authenticated-",
                            "x-authentik-",
                            "x-client-cert",
                            "x-forwarded-",
                            "x-goog-authenticated-user-",
                            "x-ms-client-principal",
                            "x-remote-",
                            "x-ssl-client",
                            "x-webauth-"));

    /** They would select a response other than the one of the cache key. */
    private static final FieldNames SELECTING =
            FieldNames.of(
                    "accept-encoding", "cdn-loop", "host", "range", "via", SignedVariant.FIELD);

    private static final FieldNames OF_PAGE = FieldNames.of("accept-encoding", "expect", "range");

    /** The fields of the client for other hosts; any other may be a credential. */
    private static final FieldNames OF_OTHER_HOSTS =
            FieldNames.of(
                    "accept",
                    "accept-language",
                    "cdn-loop",
                    "traceparent",
                    "tracestate",
                    "user-agent",
                    "via");

    private RequestFields() {}

    /**
     * Whether a client's field may be forwarded to the origin. Not those that {@code Connection}
     * nominates ({@link HopByHop#nominated}), and a claim only if its sender is believed ({@link
     * EffectiveRequest}).
     */
    public static boolean goesUp(String name) {
        return !HopByHop.isHopByHop(name)
                && !isOfMessage(name)
                && !OVERRIDES.contains(name)
                && !HopByHop.isOfSurrogates(name);
    }

    /**
     * Whether the field makes a claim about a client behind its sender, its user, or the address
     * that this client used.
     */
    public static boolean isClaim(String name) {
        return CLAIMS.contains(name);
    }

    /**
     * Whether an include may set or remove the field. Fields are excluded that route, frame or
     * authenticate the request, or that make the response unusable for the cache, such as a part, a
     * 304 or a coded body.
     */
    public static boolean mayBeEdited(String name) {
        return goesUp(name) && !isClaim(name) && !SELECTING.contains(name) && !isCondition(name);
    }

    /**
     * Whether the field concerns only the page's own request and is not copied to its fragments'
     * requests: conditions, ranges, codings, and the description of its body.
     */
    public static boolean isOfPageOnly(String name) {
        return OF_PAGE.contains(name) || isCondition(name) || isOfBody(name);
    }

    /** Whether the client's field is also sent to hosts that the client did not request. */
    public static boolean goesToOtherHosts(String name) {
        return OF_OTHER_HOSTS.contains(name);
    }

    /** Whether the field is part of the framing of one message, or an expectation of its sender. */
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

    /**
     * Returns a page's request for decisions about its fragments: a GET without conditions or body.
     */
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

    private static boolean isCondition(String name) {
        return HopByHop.startsWith(name, "if-");
    }
}
