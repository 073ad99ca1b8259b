package dev.quire.core.policy;

/** Why a request went on to the origin, in the words of {@code Cache-Status} (RFC 9211 §2.2). */
public enum ForwardReason {
    /** The cache is not to handle such requests. */
    BYPASS("bypass"),
    /** The method must reach the origin. */
    METHOD("method"),
    /** Nothing is stored under the key. */
    URI_MISS("uri-miss"),
    /** Something is stored under the key, but for other selecting fields. */
    VARY_MISS("vary-miss"),
    /** Nothing stored can be used, and why has not been looked at more closely. */
    MISS("miss"),
    /** What is stored is fresh, but the request wants it otherwise. */
    REQUEST("request"),
    /** What is stored needs the origin's word first. */
    STALE("stale");

    private final String token;

    ForwardReason(String token) {
        this.token = token;
    }

    /** As the field has it. */
    String token() {
        return token;
    }
}
