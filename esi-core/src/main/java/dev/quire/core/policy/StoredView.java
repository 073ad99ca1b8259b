package dev.quire.core.policy;

/** The properties of a stored response that decisions depend on. */
public interface StoredView {

    /** Returns how long it may be served. */
    Freshness freshness();

    /** Whether it can be validated with the origin; see {@link Validation#hasValidator}. */
    boolean hasValidator();
}
