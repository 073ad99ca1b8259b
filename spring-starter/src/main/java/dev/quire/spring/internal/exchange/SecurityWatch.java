package dev.quire.spring.internal.exchange;

import org.jspecify.annotations.Nullable;

/** Detects a handler's reads of the user from a security framework. */
public interface SecurityWatch {

    /** For applications without Spring Security. */
    SecurityWatch NONE =
            new SecurityWatch() {
                @Override
                public @Nullable Object watched(
                        @Nullable Object attribute, GuardedExchange exchange) {
                    return attribute;
                }

                @Override
                public void watch(GuardedExchange exchange) {}

                @Override
                public Runnable keep() {
                    return () -> {};
                }
            };

    /** Returns a request attribute for handlers, in a form that reports its use. */
    @Nullable Object watched(@Nullable Object attribute, GuardedExchange exchange);

    /** Makes this thread's security context report its use to {@code exchange}. */
    void watch(GuardedExchange exchange);

    /** Saves this thread's security context; the result restores it. */
    Runnable keep();
}
