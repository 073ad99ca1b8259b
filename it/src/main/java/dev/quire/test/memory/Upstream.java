package dev.quire.test.memory;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;

/** The application, as the surrogate meets it. Several threads at a time. */
@FunctionalInterface
public interface Upstream {

    /**
     * Asks it and waits for all of its answer.
     *
     * @param body empty where there is none
     */
    Answer answer(RequestHead request, Bytes body);

    /** What came of asking. */
    sealed interface Answer {

        /** A whole response. */
        record Whole(ResponseHead head, Bytes body) implements Answer {}

        /** A response that breaks off behind {@code body}. */
        record Cut(ResponseHead head, Bytes body) implements Answer {}

        /** No response at all. */
        record None(String why) implements Answer {}
    }
}
