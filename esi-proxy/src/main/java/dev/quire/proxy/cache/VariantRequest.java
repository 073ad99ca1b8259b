package dev.quire.proxy.cache;

import dev.quire.core.policy.SelectingFields;

/** A request for one of the variants of a key. */
public interface VariantRequest {
    /** Whether a response that {@code variant} selected may be served for this request. */
    boolean isSelectedBy(SelectingFields variant);
}
