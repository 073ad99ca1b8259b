package dev.quire.proxy.deliver;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.Limits;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ClientLifetime;
import dev.quire.core.policy.PageLifetime;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one assembled page: collects what is ready, decides when the head leaves, and sends all
 * of it in one go where it can. On the exchange's loop.
 */
public final class PageDelivery implements PageConsumer<StoredResponse>, Exchange.Delivery {

    /*
     * Until the head has left, what is ready is only collected: if nothing is missing, page and
     * head leave in one write with Content-Length. Otherwise the head waits, either for every part,
     * because a client may reuse the page and its lifetime is that of its most restrictive part; or
     * at most first-flush, so that a fragment that comes soon costs no second write.
     */

    /** When the parts of a page must be there. */
    public record Timing(Duration firstFlush, Duration pageDeadline) {}

    /** Told what becomes of the page. */
    public interface Outcome {
        /** A fragment is left out, and that is an error. */
        void omitted(Failure failure);

        /** Something in {@code document} could not be evaluated as written. */
        void problem(CacheKey document, String what);

        /** Nothing follows: the page is written, or nobody wants it. Once. */
        void ended();
    }

    /** The byte order mark in UTF-8. */
    private static final int UTF_8_MARK = 0xEFBBBF;

    private static final int MARK_BYTES = 3;

    /** A fragment that may yet turn out to be anything: nothing is promised. */
    private static final ClientLifetime UNKNOWN_PART =
            new ClientLifetime(false, true, false, Duration.ZERO);

    private enum Head {
        /** Everything is collected. */
        WAITS,
        LEFT
    }

    private final Exchange exchange;
    private final StoredResponse page;
    private final Supplier<Instant> clock;
    private final Timing timing;
    private final Outcome outcome;
    private final ResponseWriter writer;
    private final Assembler<StoredResponse> assembler;
    private final boolean needsAllParts;
    private final List<ByteBuf> collected = new ArrayList<>();

    /** Large stored parts, until the client has them: so it is known for what memory it stands. */
    private final List<StoredResponse> held = new ArrayList<>(0);

    /** The moment that {@link #partsLifetime} speaks of. */
    private Instant now;

    private ClientLifetime partsLifetime = ClientLifetime.UNRESTRICTED;
    private boolean hasPrivatePart;
    private boolean hasOmission;
    private final List<String> cookies = new ArrayList<>(0);
    private long collectedBytes;
    private Head head = Head.WAITS;
    private boolean isWaiting;
    private boolean isDrained;
    private boolean isOver;
    private @Nullable FlowingFragment flowing;
    private @Nullable ScheduledFuture<?> firstFlush;
    private @Nullable ScheduledFuture<?> deadline;

    /**
     * @param page an ESI document; one reference is taken over
     * @param clock monotonic, of the cache
     */
    public PageDelivery(
            Exchange exchange,
            StoredResponse page,
            Supplier<Instant> clock,
            FragmentSource<StoredResponse> source,
            Limits limits,
            Timing timing,
            Outcome outcome) {
        this.exchange = exchange;
        this.page = page;
        this.clock = clock;
        this.now = clock.get();
        this.timing = timing;
        this.outcome = outcome;
        this.writer = new ResponseWriter(exchange);
        this.assembler = new Assembler<>(source, this, limits);
        this.needsAllParts = PageLifetime.needsAllParts(page.clientLifetimeAt(now));
        this.hasPrivatePart = !page.isShared();
    }

    /** Lets the page set a cookie, if its head has not left. */
    public void setCookie(String value) {
        if (head == Head.WAITS) {
            hasPrivatePart = true;
            cookies.add(value);
        }
    }

    /** Starts the fragments, and sends the page at once if they are all at hand. */
    public void start() {
        exchange.deliverBy(this);
        assembler.start(page.key(), page);
        assembler.drain();
        if (isOver) {
            return;
        }
        isWaiting = true;
        deadline = schedule(timing.pageDeadline(), this::expired);
        if (!needsAllParts) {
            if (timing.firstFlush().isZero()) {
                sendHead();
            } else {
                firstFlush = schedule(timing.firstFlush(), this::sendHead);
            }
        }
    }

    @Override
    public boolean isWritable() {
        return head == Head.WAITS || writer.isWritable();
    }

    @Override
    public void write(StoredResponse body, int start, int end) {
        int begin = body.equals(page) ? start : behindMark(body, start, end);
        if (end > begin) {
            var from = body.body();
            collected.add(from.retainedSlice(from.readerIndex() + begin, end - begin));
            collectedBytes += end - begin;
            if (ResponseWriter.isLarge(end - begin) && body.isShared() && body.tryRetain()) {
                held.add(body);
            }
        }
    }

    @Override
    public void write(byte[] text) {
        collected.add(Unpooled.wrappedBuffer(text));
        collectedBytes += text.length;
    }

    @Override
    public void write(FragmentStream stream) {
        if (head == Head.WAITS) {
            sendHead();
        }
        sendCollected();
        if (isOver) {
            stream.cancel();
            return;
        }
        var fragment = (FlowingFragment) stream;
        flowing = fragment;
        fragment.flowTo(new Into(fragment));
    }

    @Override
    public void joined(StoredResponse fragment) {
        hasPrivatePart |= !fragment.isShared();
        // Whether a part of one client's own comes before the head of any other page is chance.
        if (head == Head.WAITS && (fragment.isShared() || needsAllParts)) {
            keepTime();
            partsLifetime = partsLifetime.and(fragment.clientLifetimeAt(now));
        }
    }

    @Override
    public void joined(FragmentStream fragment) {
        hasPrivatePart = true;
        if (head == Head.WAITS && needsAllParts) {
            keepTime();
            partsLifetime = partsLifetime.and(((FlowingFragment) fragment).clientLifetime());
        }
    }

    @Override
    public void omitted(Position include, Failure failure) {
        hasOmission = true;
        outcome.omitted(failure);
    }

    @Override
    public void isPersonal() {
        hasPrivatePart = true;
    }

    @Override
    public void problem(CacheKey document, String what) {
        outcome.problem(document, what);
    }

    @Override
    public void amended(ResponseEdits edits, int status) {
        throw new IllegalStateException("no page is held");
    }

    @Override
    public void failed(Failure failure) {
        throw new IllegalStateException("no page is held");
    }

    @Override
    public void progressed() {
        drain();
    }

    @Override
    public void finished() {
        isDrained = true;
        if (head == Head.WAITS) {
            writeHead(collectedBytes);
        }
        writer.body(collected, collectedBytes);
        collected.clear();
        over();
        if (!held.isEmpty()) {
            writer.whenGone(this::letGo);
        }
        writer.end();
    }

    @Override
    public void writable() {
        if (flowing != null) {
            flowing.resume();
        } else {
            drain();
        }
    }

    @Override
    public void clientGone() {
        if (isOver) {
            return;
        }
        if (flowing != null) {
            flowing.cancel();
        }
        assembler.cancel();
        collected.forEach(ByteBuf::release);
        collected.clear();
        letGo();
        over();
    }

    private void drain() {
        assembler.drain();
        if (!isOver && head == Head.LEFT) {
            sendCollected();
        }
    }

    private void expired() {
        assembler.expire(new Failure(Side.PROXY, Kind.TIMEOUT, "page-deadline"));
        drain();
    }

    private void sendHead() {
        if (head == Head.LEFT || isOver) {
            return;
        }
        writeHead(-1);
        sendCollected();
    }

    private void sendCollected() {
        if (head == Head.WAITS) {
            return;
        }
        writer.body(collected, collectedBytes);
        collected.clear();
        collectedBytes = 0;
        writer.flush();
    }

    private void writeHead(long lengthBytes) {
        head = Head.LEFT;
        cancel(firstFlush);
        keepTime();
        boolean isKnown = isDrained || assembler.isComplete();
        writer.page(
                page,
                PageLifetime.cacheControl(
                        page.clientLifetimeAt(now),
                        isKnown ? partsLifetime : partsLifetime.and(UNKNOWN_PART),
                        !isKnown || hasPrivatePart,
                        hasOmission),
                cookies,
                isDrained ? lengthBytes : -1);
    }

    /** What has been said of the parts grows old while others are waited for. */
    private void keepTime() {
        if (isWaiting) {
            var before = now;
            now = clock.get();
            partsLifetime = partsLifetime.after(Duration.between(before, now));
        }
    }

    /** A fragment's byte order mark would stand in the middle of the page, as a character. */
    private static int behindMark(StoredResponse fragment, int start, int end) {
        var body = fragment.body();
        boolean isMarked =
                start == 0
                        && end >= MARK_BYTES
                        && body.getUnsignedMedium(body.readerIndex()) == UTF_8_MARK;
        return isMarked ? MARK_BYTES : start;
    }

    private void letGo() {
        held.forEach(StoredResponse::release);
        held.clear();
    }

    private void over() {
        isOver = true;
        cancel(firstFlush);
        cancel(deadline);
        outcome.ended();
    }

    private ScheduledFuture<?> schedule(Duration delay, Runnable task) {
        return exchange.loop().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static void cancel(@Nullable ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Passes a flowing fragment on, at the client's speed. */
    private final class Into implements FlowingFragment.Sink {
        private final FlowingFragment fragment;

        Into(FlowingFragment fragment) {
            this.fragment = fragment;
        }

        @Override
        public void data(ByteBuf data) {
            writer.body(data);
            writer.flush();
            if (!writer.isWritable()) {
                fragment.pause();
            }
        }

        @Override
        public void end() {
            flowing = null;
            assembler.streamed();
            drain();
        }

        @Override
        public void broken(Failure failure) {
            flowing = null;
            assembler.cancel();
            letGo();
            over();
            writer.abort();
        }
    }
}
