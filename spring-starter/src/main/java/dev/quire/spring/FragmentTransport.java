package dev.quire.spring;

/** A way to ask the application itself for one of its fragments. */
interface FragmentTransport {

    /** Asks once and waits for the answer; redirects are not followed. */
    Fetched ask(FragmentCall call);
}
