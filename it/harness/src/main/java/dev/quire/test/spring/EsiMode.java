package dev.quire.test.spring;

/**
 * The assembler of the pages of an application under test, and its connection to the application.
 */
public enum EsiMode {
    /** The real proxy, in this JVM, over MockMvc: no server, no socket. Needs a bean of MockMvc. */
    MOCK_MVC,

    /** The real proxy, in this JVM and without sockets of its own, over the application's port. */
    LIVE,

    /** The real proxy, in this JVM, between sockets, over the application's port. */
    PROXY,

    /** The application itself, as for readers without a surrogate. */
    IN_APPLICATION
}
