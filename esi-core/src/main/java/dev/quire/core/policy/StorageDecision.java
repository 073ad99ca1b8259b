package dev.quire.core.policy;

/** Whether a response may be stored (RFC 9111 §3). */
public sealed interface StorageDecision {

    /** Store it with this freshness. */
    record Keep(Freshness freshness) implements StorageDecision {}

    /** Do not store it. */
    record Refuse(StorageRefusal reason) implements StorageDecision {}
}
