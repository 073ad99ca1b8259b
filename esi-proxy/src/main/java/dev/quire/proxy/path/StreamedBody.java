package dev.quire.proxy.path;

import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.gzip.GzipStream;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Sends the body of a streamed response, as it comes or in gzip. On the exchange's loop. */
final class StreamedBody {
    private final Exchange exchange;
    private final ResponseChannel client;

    /** Null if the body is sent as it comes, and after its end. */
    private @Nullable GzipStream gzip;

    /** The stored response, once its body only needs to be compressed for a slow client. */
    private @Nullable StoredResponse rest;

    private int restFrom;
    private boolean isStepDue;

    StreamedBody(Exchange exchange) {
        this.exchange = exchange;
        this.client = exchange.response();
    }

    /** Compresses the whole body by {@code stream}. */
    void compressBy(GzipStream stream) {
        gzip = stream;
    }

    boolean isCompressed() {
        return gzip != null;
    }

    /** Takes over one reference. */
    void add(ByteBuf data) {
        var stream = gzip;
        if (stream == null) {
            client.body(data);
            return;
        }
        try {
            client.body(stream.add(data));
        } finally {
            data.release();
        }
    }

    /** Sends all that was added. */
    void flush() {
        if (gzip != null) {
            client.body(gzip.flush());
        }
        client.flush();
    }

    void end() {
        if (gzip != null) {
            client.body(gzip.end());
        }
        drop();
        client.end();
    }

    /** Sends the body from {@code from} on, and the end; takes over one reference. */
    void remainder(StoredResponse response, int from) {
        if (gzip == null) {
            Answers.remainder(exchange, response, from);
            return;
        }
        rest = response;
        restFrom = from;
        step();
    }

    /**
     * Compresses the next piece of the rest if the client takes it, one in each turn of the loop.
     */
    void step() {
        var response = rest;
        if (response == null || isStepDue || !client.isWritable()) {
            return;
        }
        int bytes = Math.min(response.length() - restFrom, Compressing.MAX_BYTES_ON_LOOP);
        var body = response.body();
        add(body.retainedSlice(body.readerIndex() + restFrom, bytes));
        restFrom += bytes;
        if (restFrom == response.length()) {
            end();
            return;
        }
        client.flush();
        isStepDue = true;
        exchange.loop()
                .execute(() ->
                        exchange.take(() -> {
                            isStepDue = false;
                            step();
                        }));
    }

    /** Gives back everything; the rest of the body is not sent. */
    void drop() {
        if (gzip != null) {
            gzip.close();
            gzip = null;
        }
        if (rest != null) {
            rest.release();
            rest = null;
        }
    }
}
