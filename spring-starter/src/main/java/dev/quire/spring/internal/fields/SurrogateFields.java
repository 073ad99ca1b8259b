package dev.quire.spring.internal.fields;

/** Names and values of fields between a surrogate and the application. */
public final class SurrogateFields {

    /** Instructions for surrogates, in responses (Edge Architecture 1.0 §2.2). */
    public static final String CONTROL = "Surrogate-Control";

    /** The capabilities of a surrogate, in requests (Edge Architecture 1.0 §2.1). */
    public static final String CAPABILITY = "Surrogate-Capability";

    /** The {@code Cache-Control} of private responses. */
    public static final String PRIVATE = "private, no-store";

    private SurrogateFields() {}
}
