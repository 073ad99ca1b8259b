package dev.quire.bench.peers;

import java.io.IOException;

/**
 * The origin that runs.
 *
 * @param port on the loopback address
 */
record OriginProcess(int port, Running running, Check client) implements AutoCloseable {

    /** How many requests it has seen. */
    long requests() throws IOException, InterruptedException {
        return Long.parseLong(client.text(Origin.REQUESTS));
    }

    @Override
    public void close() {
        client.close();
        running.close();
    }
}
