package dev.quire.core.policy;

/** How one request was handled, as {@code Cache-Status} says it (RFC 9211 §2). */
public sealed interface CacheStatus {
    /** The store alone gave the answer. */
    enum Hit implements CacheStatus {
        /** It was fresh, or stale and served while it is refreshed. */
        HIT
    }

    /**
     * The origin was asked.
     *
     * @param status of its answer, 0 if none came
     * @param isStored whether that is stored
     * @param isCollapsed whether another request was sent, whose answer served this one too
     * @param isStoodInFor whether something stored was given in place of it
     */
    record Forwarded(
            ForwardReason reason,
            int status,
            boolean isStored,
            boolean isCollapsed,
            boolean isStoodInFor)
            implements CacheStatus {}

    /**
     * The same with what is said only to those who ask.
     *
     * @param key under which it was looked for
     * @param detail our own word for the reason
     */
    record Explained(CacheStatus status, String key, String detail) implements CacheStatus {}

    /**
     * The parameters of our member of the list.
     *
     * @param ttlSeconds what is left of the stored response's lifetime; negative once it is stale
     */
    default String parameters(long ttlSeconds) {
        return switch (this) {
            case Hit hit -> "hit; ttl=" + ttlSeconds;
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
            case Explained explained ->
                    explained.status().parameters(ttlSeconds)
                            + "; key="
                            + quoted(explained.key())
                            + "; detail="
                            + quoted(explained.detail());
        };
    }

    /** {@code text} as a string of RFC 8941 §3.3.3, which knows printable ASCII alone. */
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
