package dev.quire.proxy.cache;

import dev.quire.core.policy.SelectingFields;

/** A request for one of the variants of a key. */
public interface VariantRequest {
    /** Whether a response that {@code variant} selected may be served for this request. */
    boolean isSelectedBy(SelectingFields variant);

    /** Whether {@code response} may be served in the content coding in which it is stored. */
    default boolean accepts(StoredResponse response) {
        return true;
    }

    /** Whether {@code response} may be served as stored, or decoded. */
    default boolean canTake(StoredResponse response) {
        return true;
    }
}
