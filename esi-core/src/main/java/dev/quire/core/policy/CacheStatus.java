package dev.quire.core.policy;

import org.jspecify.annotations.Nullable;

/** How one request was handled, for {@code Cache-Status} (RFC 9211 §2). */
public sealed interface CacheStatus {
    /** Served from the store without the origin. */
    enum Hit implements CacheStatus {
        /** It was fresh, or stale and served during a refresh. */
        HIT(null),
        /** It was read from the disk for this request. */
        DISK("disk"),
        /** It was read from the store of several proxies for this request. */
        SHARED("shared"),
        /** An invalidation of another proxy may cover it that is not known yet. */
        BEHIND("behind");

        private final @Nullable String detail;

        Hit(@Nullable String detail) {
            this.detail = detail;
        }
    }

    /**
     * Forwarded to the origin.
     *
     * @param status of its response, 0 without one
     * @param isStored whether the response is stored
     * @param isCollapsed whether the response to a coalesced request was used
     * @param isStoodInFor whether a stale response was served instead
     */
    record Forwarded(
            ForwardReason reason,
            int status,
            boolean isStored,
            boolean isCollapsed,
            boolean isStoodInFor)
            implements CacheStatus {}

    /**
     * A status with details for clients that may see them.
     *
     * @param key the cache key; null to leave it out
     * @param detail Quire's label of the reason
     */
    record Explained(CacheStatus status, @Nullable String key, String detail)
            implements CacheStatus {
        private static final String DETAIL = "; detail=";
    }

    /**
     * Returns the parameters of Quire's member of the list.
     *
     * @param ttlSeconds the remaining lifetime of the stored response; negative once it is stale
     */
    default String parameters(long ttlSeconds) {
        return switch (this) {
            case Hit hit ->
                    "hit; ttl="
                            + ttlSeconds
                            + (hit.detail == null ? "" : Explained.DETAIL + hit.detail);
            case Forwarded forwarded -> {
                var text = new StringBuilder("fwd=").append(forwarded.reason().token());
                if (forwarded.status() != 0) {
                    text.append("; fwd-status=").append(forwarded.status());
                }
                if (forwarded.isStored()) {
                    text.append("; stored");
                }
                if (forwarded.isCollapsed()) {
                    text.append("; collapsed");
                }
                if (forwarded.isStoodInFor()) {
                    text.append("; ttl=").append(ttlSeconds);
                }
                yield text.toString();
            }
            case Explained(Hit hit, var key, var detail) when hit.detail != null ->
                    // A parameter is unique (RFC 8941 §3.1.2).
                    new Explained(Hit.HIT, key, hit.detail + ", " + detail).parameters(ttlSeconds);
            case Explained(var status, var key, var detail) ->
                    status.parameters(ttlSeconds)
                            + (key == null ? "" : "; key=" + quoted(key))
                            + Explained.DETAIL
                            + quoted(detail);
        };
    }

    /** Returns {@code text} as a string of RFC 8941 §3.3.3, which allows only printable ASCII. */
    private static String quoted(String text) {
        var quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\');
            }
            quoted.append(c < ' ' || c > '~' ? '?' : c);
        }
        return quoted.append('"').toString();
    }
}
