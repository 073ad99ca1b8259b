package dev.quire.proxy.path;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.ResponseFields;
import dev.quire.proxy.cache.DocumentKind;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.deliver.Answers;
import dev.quire.proxy.deliver.BodyParts;
import dev.quire.proxy.exchange.Time;
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
    private final Codings codings;
    private final Time time;
    private final Runnable whenBegun;

    private final DocumentKind kind;

    /** The parts to send; null to send the whole. */
    private final @Nullable BodyParts parts;

    /** Null once it is written or dropped. */
    private @Nullable ResponseHead head;

    private final ArrayDeque<ByteBuf> body = new ArrayDeque<>(2);
    private final StreamedBody out;
    private long bytes;
    private boolean isFlushDue;

    /**
     * @param parts null to send the whole
     * @param whenBegun run once the head is written
     */
    UnwrittenAnswer(
            Lookup lookup,
            AnswerSteps steps,
            ResponseHead head,
            DocumentKind kind,
            @Nullable BodyParts parts,
            Runnable whenBegun) {
        this.lookup = lookup;
        this.codings = steps.codings();
        this.time = steps.time();
        this.whenBegun = whenBegun;
        this.out = new StreamedBody(lookup.exchange());
        this.head = head;
        this.kind = kind;
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
            out.add(data);
            return;
        }
        bytes += data.readableBytes();
        body.add(data);
        if (bytes > MAX_BYTES) {
            write(Admission.UNKNOWN);
        }
    }

    /** Writes everything so far, so that the client can decode it. */
    void flush() {
        write(Admission.UNKNOWN);
        out.flush();
    }

    /** Returns the {@code received} trailer fields that apply to the body as it is sent. */
    Fields trailers(Fields received) {
        write(bytes);
        return out.isCompressed() ? received.without(ResponseFields::isOfBytes) : received;
    }

    /** Writes everything, and the end. */
    void end() {
        write(bytes);
        out.end();
    }

    /** Writes everything, the rest of {@code response} and the end; takes over one reference. */
    void remainder(StoredResponse response, int from) {
        write(Admission.UNKNOWN);
        if (parts == null) {
            out.remainder(response, from);
        } else {
            Answers.remainder(lookup.exchange(), response, from, parts);
        }
    }

    /** The client takes more data. */
    void writable() {
        out.step();
    }

    /**
     * Writes the buffered response; no effect if it was written.
     *
     * @param wholeBytes the length of its body if it is complete
     */
    private void write(long wholeBytes) {
        var waiting = head;
        if (waiting == null) {
            return;
        }
        head = null;
        var now = time.wall();
        var exchange = lookup.exchange();
        boolean isDocument = kind.isDocument();
        if (parts != null) {
            boolean mayDiffer = codings.mayDiffer(exchange, waiting, false);
            Answers.passingParts(exchange, waiting, parts, mayDiffer, now);
        } else if (isDocument && DelegatedAnswer.isFor(lookup, kind == DocumentKind.STAMPED)) {
            Answers.passingUnassembled(exchange, waiting, now);
        } else if (!isDocument && isCompressed(waiting, wholeBytes)) {
            Answers.passingCompressed(exchange, waiting, now);
        } else {
            Answers.passing(
                    exchange,
                    waiting,
                    isDocument && exchange.request().isHead(),
                    codings.mayDiffer(exchange, waiting, isDocument),
                    now);
        }
        while (!body.isEmpty()) {
            out.add(body.remove());
        }
        whenBegun.run();
    }

    /** Whether the body is compressed from now on, or would be if the request was not HEAD. */
    private boolean isCompressed(ResponseHead waiting, long wholeBytes) {
        var exchange = lookup.exchange();
        boolean isHead = exchange.request().isHead();
        long length =
                isHead || wholeBytes < 0 ? Admission.announcedBytes(waiting.fields()) : wholeBytes;
        if (!codings.isCompressedInPassing(exchange, waiting, length)) {
            return false;
        }
        if (isHead) {
            return true;
        }
        var stream = codings.stream(exchange);
        if (stream == null) {
            return false;
        }
        out.compressBy(stream);
        return true;
    }

    void drop() {
        out.drop();
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
            loop.execute(this::flushed);
        } else {
            // A closed origin connection is also reported by a task, which runs before the second
            // of these.
            loop.execute(() -> loop.execute(this::flushed));
        }
    }

    private void flushed() {
        lookup.exchange()
                .take(() -> {
                    isFlushDue = false;
                    flush();
                });
    }
}
