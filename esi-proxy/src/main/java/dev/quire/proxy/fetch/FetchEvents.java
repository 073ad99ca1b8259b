package dev.quire.proxy.fetch;

/** What a fetcher tells whoever counts; called on the loop of the fetch, so it must not wait. */
@FunctionalInterface
public interface FetchEvents {

    /** An attempt brought no answer, and another one begins. */
    void retried();
}
