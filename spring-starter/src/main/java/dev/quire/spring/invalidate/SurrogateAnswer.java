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
     * Rejected; a retry would be rejected too.
     *
     * @param why in a few words
     * @param isForKeys whether other keys may be accepted; false if for example the token is wrong
     */
    record Refused(String why, boolean isForKeys) implements SurrogateAnswer {

        /** Rejected; other keys may be accepted. */
        public Refused(String why) {
            this(why, true);
        }
    }
}
