package dev.quire.core.policy;

/** Whether a response may be kept for later requests (RFC 9111 §3). */
public sealed interface Storing {

    /** Keep it, for this long. */
    record Keep(Freshness freshness) implements Storing {}

    /** Do not keep it. */
    record Refuse(RefusalReason reason) implements Storing {}
}
