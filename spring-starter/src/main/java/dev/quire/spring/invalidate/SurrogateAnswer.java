package dev.quire.spring.invalidate;

/** What a surrogate says to an invalidation. */
public sealed interface SurrogateAnswer {

    /** It is done: the very next request sees it. */
    record Done() implements SurrogateAnswer {}

    /**
     * It could not be told, or could not do it now; worth another try.
     *
     * @param why in a few words
     */
    record Failed(String why) implements SurrogateAnswer {}

    /**
     * It does not accept this, and would not next time.
     *
     * @param why in a few words
     */
    record Refused(String why) implements SurrogateAnswer {}
}
