package dev.quire.core.policy;

/** Whether a response may be stored (RFC 9111 §3). */
public sealed interface Storing {

    /** Store it with this freshness. */
    record Keep(Freshness freshness) implements Storing {}

    /** Do not store it. */
    record Refuse(RefusalReason reason) implements Storing {}
}
