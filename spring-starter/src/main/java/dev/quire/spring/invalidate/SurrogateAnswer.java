package dev.quire.spring.invalidate;

/** The response of a surrogate to an invalidation. */
public sealed interface SurrogateAnswer {

    /** Done: the very next request sees it. */
    record Done() implements SurrogateAnswer {}

    /**
     * Failed temporarily; will be retried.
     *
     * @param why in a few words
     */
    record Failed(String why) implements SurrogateAnswer {}

    /**
     * Rejected for its keys: a retry would be rejected too, another invalidation may be accepted.
     *
     * @param why in a few words
     */
    record Refused(String why) implements SurrogateAnswer {}

    /**
     * Rejected whatever its keys are, for example as the token is wrong.
     *
     * @param why in a few words
     */
    record Denied(String why) implements SurrogateAnswer {}
}
