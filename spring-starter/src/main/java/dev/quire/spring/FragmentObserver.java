package dev.quire.spring;

/** Is told when a handler with a policy begins to make its response, and when it has. */
@FunctionalInterface
interface FragmentObserver {

    /** Nobody observes. */
    FragmentObserver NONE = policy -> Rendering.UNSEEN;

    /** A handler begins. */
    Rendering begins(FragmentPolicy policy);

    /** One response on its way. */
    @FunctionalInterface
    interface Rendering {

        /** Nobody watches it. */
        Rendering UNSEEN = (exchange, failed) -> {};

        /**
         * It is decided and written, perhaps on another thread than the one it began on.
         *
         * @param failed whether the handler threw, or the status is an error
         */
        void ends(Exchange exchange, boolean failed);
    }
}
