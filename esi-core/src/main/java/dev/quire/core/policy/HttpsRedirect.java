package dev.quire.core.policy;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;

/**
 * The redirect of requests without TLS to the same URL with {@code https}.
 *
 * @param port where clients reach the listener with TLS
 */
public record HttpsRedirect(int port) {

    /** Permanent, and the method stays (RFC 9110 §15.4.9). */
    public static final int STATUS = 308;

    /** Certificate authorities request these paths without TLS (RFC 8555 §8.3). */
    private static final String CHALLENGES = "/.well-known/acme-challenge/";

    private static final int DEFAULT_PORT = 443;

    /** Whether {@code request}, as the client or a trusted peer describes it, is redirected. */
    public boolean applies(RequestHead request) {
        return request.scheme() == Scheme.HTTP && !request.target().startsWith(CHALLENGES);
    }

    /** The URL to which {@code request} is redirected. */
    public String location(RequestHead request) {
        var authority = request.authority();
        int colon = authority.lastIndexOf(':');
        var host = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
        return "https://" + host + (port == DEFAULT_PORT ? "" : ":" + port) + request.target();
    }
}
