package dev.quire.proxy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.route.EsiMode;
import java.util.Locale;

/** Makes the requests that go up to an origin out of the one that came from a client. */
final class UpstreamRequest {

    /** What a request is sent for. */
    enum Purpose {
        /** The answer is for this client alone: his conditions and codings are the origin's. */
        FORWARD,
        /** The answer may be stored for all: whole, unconditional and without coding. */
        STORE,
        /** As STORE, for a part of a page: nothing of the page's own body or form goes along. */
        INCLUDE
    }

    private final String capability;

    /**
     * @param deviceToken our name in {@code Surrogate-Capability}
     */
    UpstreamRequest(String deviceToken) {
        this.capability = deviceToken + "=\"Surrogate/1.0 ESI/1.0\"";
    }

    /**
     * The request for {@code key}.
     *
     * @param authority what the origin is to take for its name
     * @param client the client's fields, already rid of what no origin may see
     * @param conditions lines to add
     * @param sameAuthority whether the origin is the one the client spoke to; credentials go to no
     *     other
     */
    RequestHead of(
            String method,
            CacheKey key,
            String authority,
            Fields client,
            Fields conditions,
            Purpose purpose,
            EsiMode esi,
            boolean sameAuthority) {
        var lines = new Fields.Builder().add("Host", authority);
        client.forEach((name, value) -> {
            var lower = name.toLowerCase(Locale.ROOT);
            if (goesAlong(lower, purpose, esi) && (sameAuthority || !isCredential(lower))) {
                lines.add(name, value);
            }
        });
        lines.addAll(conditions);
        if (esi != EsiMode.OFF) {
            lines.add("Surrogate-Capability", capability);
        }
        return new RequestHead(
                purpose == Purpose.FORWARD ? method : "GET",
                key.scheme(),
                authority,
                key.target(),
                lines.build());
    }

    private static boolean goesAlong(String lower, Purpose purpose, EsiMode esi) {
        return switch (lower) {
            case "host", "expect" -> false;
            // A part of a document cannot be parsed, so none is asked for where there may be ESI.
            case "range", "if-range" -> purpose == Purpose.FORWARD && esi == EsiMode.OFF;
            case "accept-encoding" -> purpose == Purpose.FORWARD && esi == EsiMode.OFF;
            case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since" ->
                    purpose == Purpose.FORWARD;
            default -> purpose != Purpose.INCLUDE || !lower.startsWith("content-");
        };
    }

    private static boolean isCredential(String lower) {
        return switch (lower) {
            case "cookie",
                    "authorization",
                    "forwarded",
                    "x-forwarded-for",
                    "x-real-ip",
                    "client-cert",
                    "client-cert-chain",
                    "x-forwarded-client-cert" ->
                    true;
            default -> lower.startsWith("proxy-") || lower.startsWith("ssl-client");
        };
    }
}
