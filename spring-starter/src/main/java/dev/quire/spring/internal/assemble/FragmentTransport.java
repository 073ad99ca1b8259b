package dev.quire.spring.internal.assemble;

/** A way to request a fragment from the application itself. */
interface FragmentTransport {

    /** Sends one request and waits for the response; redirects are not followed. */
    Fetched ask(FragmentCall call);
}
