package dev.quire.proxy.path;

import dev.quire.core.http.ResponseHead;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.deliver.BodyParts;
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

    /** The parts to send; null to send the whole. */
    private final @Nullable BodyParts parts;

    /** Null once it is written or dropped. */
    private @Nullable ResponseHead head;

    private final ArrayDeque<ByteBuf> body = new ArrayDeque<>(2);
    private long bytes;
    private boolean isFlushDue;

    UnwrittenAnswer(
            Lookup lookup,
            AnswerSteps steps,
            ResponseHead head,
            boolean isStamped,
            @Nullable BodyParts parts) {
        this.lookup = lookup;
        this.steps = steps;
        this.client = lookup.exchange().response();
        this.head = head;
        this.isStamped = isStamped;
        this.parts = parts;
    }

    boolean hasBody() {
        return !body.isEmpty();
    }

    /** Whether all requested parts have been taken. */
    boolean isComplete() {
        return parts != null && parts.isComplete();
    }

    /** Takes over {@code data}, and writes it if the head was written. */
    void data(ByteBuf data) {
        if (parts == null) {
            add(data);
        } else {
            parts.take(data, this::add);
        }
    }

    private void add(ByteBuf data) {
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
        if (parts != null) {
            boolean mayDiffer = steps.codings().mayDiffer(exchange, waiting, false);
            Answers.passingParts(exchange, waiting, parts, mayDiffer, now);
        } else if (isDocument && DelegatedAnswer.isFor(lookup, isStamped)) {
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

    /** Writes it and the rest, of {@code response} from {@code from} on; takes over a reference. */
    void remainder(StoredResponse response, int from) {
        write();
        if (parts == null) {
            Answers.remainder(lookup.exchange(), response, from);
        } else {
            Answers.remainder(lookup.exchange(), response, from, parts);
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
