package dev.quire.spring;

/** Observes the responses of handlers with a policy. */
@FunctionalInterface
interface FragmentObserver {

    /** Observes nothing. */
    FragmentObserver NONE = policy -> Rendering.UNSEEN;

    /** Called when a handler starts. */
    Rendering begins(FragmentPolicy policy);

    /** One response in progress. */
    @FunctionalInterface
    interface Rendering {

        /** Not observed. */
        Rendering UNSEEN = (exchange, failed) -> {};

        /**
         * Called when the response is complete, possibly on another thread.
         *
         * @param failed whether the handler threw, or the status is an error
         */
        void ends(GuardedExchange exchange, boolean failed);
    }
}
