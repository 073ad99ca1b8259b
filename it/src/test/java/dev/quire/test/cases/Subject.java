package dev.quire.test.cases;

import dev.quire.test.Response;
import java.util.List;

/** What is under test: it stands between a client and what a case's origin says. One thread. */
interface Subject extends AutoCloseable {

    /**
     * Begins a run of {@code one}: nothing is stored, nothing has been asked.
     *
     * @throws AssertionError if it cannot be set up as the case wants
     */
    void begin(Case one, Run run);

    /**
     * What a client gets, read to the last byte.
     *
     * @throws AssertionError if that is no proper response, or does not come
     */
    Response ask(ClientRequest request);

    /** The requests that have reached the origin since the run began. */
    List<Seen> seen();

    /**
     * Ends the run: nothing of it reaches into the next.
     *
     * @throws AssertionError if what reached the origin was no HTTP
     */
    void end();

    @Override
    void close();
}
