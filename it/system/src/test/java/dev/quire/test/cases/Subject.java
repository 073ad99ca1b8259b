package dev.quire.test.cases;

import dev.quire.test.wire.Response;
import java.util.List;

/** The system under test, between a client and a case's origin. One thread. */
interface Subject extends AutoCloseable {

    /**
     * Starts a run of {@code one}, with an empty cache and no recorded requests.
     *
     * @throws AssertionError if it cannot be configured for the case
     */
    void begin(Case one, Run run);

    /**
     * Returns the response for a client, read to the last byte.
     *
     * @throws AssertionError if it is invalid, or does not arrive
     */
    Response ask(ClientRequest request);

    /** The requests that have reached the origin since the run began. */
    List<Seen> seen();

    /**
     * Ends the run, so that it does not affect the next one.
     *
     * @throws AssertionError if a request to the origin was malformed
     */
    void end();

    @Override
    void close();
}
