package dev.quire.spring.internal.exchange;

import dev.quire.spring.FragmentPolicy;

/** Observes the responses of handlers with a policy. */
@FunctionalInterface
public interface FragmentObserver {

    FragmentObserver NONE = policy -> Rendering.UNSEEN;

    /** Called when a handler starts. */
    Rendering begins(FragmentPolicy policy);

    /** One response in progress. */
    @FunctionalInterface
    interface Rendering {

        Rendering UNSEEN = (exchange, failed) -> {};

        /**
         * Called when the response is complete, possibly on another thread.
         *
         * @param failed whether the handler threw, or the status is an error
         */
        void ends(GuardedExchange exchange, boolean failed);
    }
}
