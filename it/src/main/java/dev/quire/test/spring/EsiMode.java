package dev.quire.test.spring;

/** Who assembles the pages of an application under test, and how they reach it. */
public enum EsiMode {
    /** The assembler in memory, over MockMvc: no server, no socket. Needs a bean of MockMvc. */
    MOCK_MVC,

    /** The assembler in memory, over the port of the application. */
    LIVE,

    /** The real proxy, in this JVM, before the port of the application. */
    PROXY,

    /** The application itself, as for readers who come to its port without a surrogate. */
    IN_APPLICATION
}
