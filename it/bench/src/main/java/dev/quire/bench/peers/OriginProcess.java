package dev.quire.bench.peers;

import dev.quire.bench.Running;
import java.io.IOException;

/**
 * The running origin.
 *
 * @param port on the loopback address
 */
public record OriginProcess(int port, Running running, Check client) implements AutoCloseable {

    /** Returns the number of requests so far. */
    public long requests() throws IOException, InterruptedException {
        return Long.parseLong(client.text(Origin.REQUESTS));
    }

    /** From now on it answers every second target of {@code /outage} with 503. */
    public void failSome() throws IOException, InterruptedException {
        client.text(Origin.FAIL);
    }

    @Override
    public void close() {
        client.close();
        running.close();
    }
}
