package dev.quire.spring;

import org.jspecify.annotations.Nullable;

/** Notices what a handler learns from a security framework about the user. */
interface SecurityWatch {

    /** For applications without Spring Security. */
    SecurityWatch NONE =
            new SecurityWatch() {
                @Override
                public @Nullable Object watched(@Nullable Object attribute, Exchange exchange) {
                    return attribute;
                }

                @Override
                public void watch(Exchange exchange) {}

                @Override
                public Runnable keep() {
                    return () -> {};
                }
            };

    /** A request attribute as handlers may see it, in a form that tells when it is used. */
    @Nullable Object watched(@Nullable Object attribute, Exchange exchange);

    /** From now on this thread's security context tells {@code exchange} when it is asked. */
    void watch(Exchange exchange);

    /** Keeps this thread's security context; the result puts it back. */
    Runnable keep();
}
