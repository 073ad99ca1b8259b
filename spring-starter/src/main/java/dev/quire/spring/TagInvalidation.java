package dev.quire.spring;

/** Drops what surrogates have stored under a tag, on an operator's word; for the actuator. */
@FunctionalInterface
public interface TagInvalidation {

    /** Drops everything that has {@code tag}; returns before it is gone. */
    void invalidate(String tag);
}
