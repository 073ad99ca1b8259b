package dev.quire.proxy.fetch;

/** What a fetcher tells whoever counts; called on any loop, so it must not wait. */
@FunctionalInterface
public interface FetchEvents {

    /** An attempt brought no answer, and another one begins. */
    void retried();

    /** Another attempt would have been safe, and was not made: too many are being made already. */
    default void retryRefused() {}

    /** A request was not sent: no server of the origin is to be asked now. */
    default void refused() {}

    /** A server has failed so often that nothing is sent to it for a while. */
    default void ejected() {}
}
