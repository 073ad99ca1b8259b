package dev.quire.spring.internal.invalidate;

/** Purges a tag at the surrogates on request of an operator; for the actuator. */
@FunctionalInterface
public interface TagInvalidation {

    /** Purges every response with {@code tag}; returns before it is done. */
    void invalidate(String tag);
}
