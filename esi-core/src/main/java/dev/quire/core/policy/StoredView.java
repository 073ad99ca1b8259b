package dev.quire.core.policy;

/** What the rules need to know of a stored response. */
public interface StoredView {

    /** How long it may be served. */
    Freshness freshness();

    /** Whether the origin can be asked if it still holds; see {@link Validation#hasValidator}. */
    boolean hasValidator();
}
