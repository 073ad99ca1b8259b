package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.exchange.ResponseChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a streamed response, buffered until the first flush. If the origin breaks off
 * before that, a stored response can still replace it. Otherwise the client gets a truncated
 * response.
 */
final class UnwrittenAnswer {

    /** A larger beginning is written without waiting for the flush. */
    private static final int MAX_BYTES = 64 * 1024;

    private final Lookup lookup;
    private final AnswerSteps steps;
    private final ResponseChannel client;

    private final boolean isStamped;

    /** Null once it is written or dropped. */
    private @Nullable ResponseHead head;

    private final ArrayDeque<ByteBuf> body = new ArrayDeque<>(2);
    private long bytes;
    private boolean isFlushDue;

    UnwrittenAnswer(Lookup lookup, AnswerSteps steps, ResponseHead head, boolean isStamped) {
        this.lookup = lookup;
        this.steps = steps;
        this.client = lookup.exchange().response();
        this.head = head;
        this.isStamped = isStamped;
    }

    boolean hasBody() {
        return !body.isEmpty();
    }

    /** Takes over {@code data}, and writes it if the head was written. */
    void data(ByteBuf data) {
        if (head == null) {
            client.body(data);
            return;
        }
        bytes += data.readableBytes();
        body.add(data);
        if (bytes > MAX_BYTES) {
            write();
        }
    }

    /** Writes the buffered response; no effect if it was written. */
    void write() {
        var waiting = head;
        if (waiting == null) {
            return;
        }
        head = null;
        var now = steps.time().wall();
        var exchange = lookup.exchange();
        boolean isDocument = lookup.target().rules().isDocument(waiting);
        if (isDocument && DelegatedAnswer.isFor(lookup, isStamped)) {
            Answers.passingUnassembled(exchange, waiting, now);
        } else {
            Answers.passing(
                    exchange,
                    waiting,
                    isDocument && exchange.request().isHead(),
                    steps.codings().mayDiffer(exchange, waiting, isDocument),
                    now);
        }
        while (!body.isEmpty()) {
            client.body(body.remove());
        }
    }

    void drop() {
        head = null;
        body.forEach(ByteBuf::release);
        body.clear();
    }

    /** Schedules one flush for everything that arrives with one read of the origin's socket. */
    void flushSoon() {
        if (isFlushDue) {
            return;
        }
        isFlushDue = true;
        EventLoop loop = lookup.loop();
        if (head == null) {
            loop.execute(this::flush);
        } else {
            // A closed origin connection is also reported by a task, which runs before the second
            // of these.
            loop.execute(() -> loop.execute(this::flush));
        }
    }

    private void flush() {
        lookup.exchange()
                .take(() -> {
                    isFlushDue = false;
                    write();
                    client.flush();
                });
    }
}
