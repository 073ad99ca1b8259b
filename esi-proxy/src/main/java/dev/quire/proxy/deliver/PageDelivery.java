package dev.quire.proxy.deliver;

import dev.quire.core.assemble.Assembler;
import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.assemble.FragmentSource;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageAmendment;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.assemble.PageHead;
import dev.quire.core.assemble.PageInputs;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.http.ByteOrderMark;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Conditions;
import dev.quire.core.policy.ContentHash;
import dev.quire.proxy.cache.Compressing;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.config.DeliverConfig;
import dev.quire.proxy.config.EsiConfig;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.ExchangeTrace;
import dev.quire.proxy.exchange.Gathering;
import dev.quire.proxy.exchange.ResponseChannel;
import dev.quire.proxy.gzip.GzipBody;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers one assembled page: collects the finished parts, decides when to send the head, and
 * sends everything in one write if possible. On the exchange's loop.
 */
public final class PageDelivery implements PageConsumer<StoredResponse>, Exchange.Delivery {

    /*
     * Until the head is sent, finished parts are only collected. If nothing is missing, page and
     * head are sent in one write with Content-Length. Otherwise the head waits for all parts if a
     * client may reuse the page, since its lifetime is that of its most restrictive part, or if the
     * page may still change its status or fail. If not, it waits at most first-flush, so that a
     * fragment that arrives soon does not cost a second write.
     *
     * A gzip page consists of the same parts in the same order, each a separate run of blocks.
     * Stored parts are compressed once and cached; evaluated and private parts are sent
     * uncompressed. So nothing is compressed for a single response, and no secret shares a
     * compression window with data chosen by others.
     */

    /** The settings of pages, and the clocks. */
    public record Rules(EsiConfig esi, DeliverConfig deliver, Clocks clocks) {}

    /**
     * The two clocks.
     *
     * @param cache monotonic, for lifetimes
     * @param wall time of day, for Date
     */
    public record Clocks(Supplier<Instant> cache, Supplier<Instant> wall) {}

    /** Receives the outcome of the page. */
    public interface Outcome {
        /** A fragment is missing because of an error. */
        void omitted(Failure failure);

        /** Something in {@code document} could not be evaluated as written. */
        void problem(CacheKey document, String what);

        /** An error page is sent instead. */
        void failed(Failure failure);

        /** No calls follow: the page was written, or is no longer needed. Once. */
        void ended();
    }

    /**
     * The work of one turn of the loop: each byte counts, and each part as many more as copying
     * that many would take. Then others get their turn.
     */
    private static final int TURN_BYTES = 1 << 20;

    private static final int PART_BYTES = 1 << 10;

    /** Streamed data arrives in pieces of any size, and a slow client may queue many of them. */
    private static final int FLOWING_RUN_BYTES = 64;

    private enum Head {
        /** Not sent; all parts are collected. */
        WAITS,
        LEFT
    }

    private final Exchange exchange;
    private final StoredResponse page;
    private final Rules rules;
    private final Outcome outcome;
    private final ResponseChannel client;
    private final Assembler<StoredResponse> assembler;
    private final PageHead<StoredResponse> pageHead;
    private final Compressing compressing;

    /** Whether the client gets gzip; for HEAD, whether GET would get gzip. */
    private final boolean isForGzip;

    /** The gzip body; null if not needed. */
    private final @Nullable GzipBody gzip;

    private final Gathering collected;

    /** Large stored parts, until the client has received them, to account for their memory. */
    private final List<StoredResponse> retained = new ArrayList<>(0);

    /** Whether the page has set its status to one without content. */
    private boolean isEmpty;

    /** How many bytes may still be compressed for it on this loop. */
    private int unspentBytes = Compressing.MAX_BYTES_ON_LOOP;

    /** How many bytes may still be added to the page. */
    private long spareBytes;

    private Head head = Head.WAITS;
    private int turnBytes = TURN_BYTES;
    private boolean isTurnOver;
    private boolean isOver;
    private boolean hasForeignCharset;
    private @Nullable FlowingFragment flowing;
    private @Nullable ScheduledFuture<?> firstFlush;
    private @Nullable ScheduledFuture<?> deadline;

    /**
     * @param page an ESI document; takes over one reference
     */
    public PageDelivery(
            Exchange exchange,
            StoredResponse page,
            FragmentSource<StoredResponse> source,
            PageInputs surroundings,
            Rules rules,
            Compressing compressing,
            Outcome outcome) {
        this.exchange = exchange;
        this.page = page;
        this.rules = rules;
        long maxBytes = rules.esi().maxPageBytes();
        this.spareBytes = maxBytes == 0 ? Long.MAX_VALUE : maxBytes;
        this.outcome = outcome;
        this.client = exchange.response();
        this.assembler =
                new Assembler<>(
                        source, this, rules.esi().limits(), rules.esi().onError(), surroundings);
        boolean isBuffered =
                page.compiled() != null
                        && (page.compiled().mustBeWhole()
                                || rules.esi().onError() == ErrorPolicy.FAIL);
        this.pageHead =
                new PageHead<>(page, rules.clocks().cache(), isBuffered, page.isCompressible());
        this.compressing = compressing;
        this.isForGzip = page.isCompressible() && exchange.accepted().prefersGzip();
        this.gzip = isForGzip && !exchange.request().isHead() ? new GzipBody() : null;
        this.collected = new Gathering(client.alloc());
    }

    /** Adds a cookie to the page, unless its head was sent. */
    public void setCookie(String value) {
        if (head == Head.WAITS) {
            pageHead.setCookie(value);
        }
    }

    /** Starts the fragments, and sends the page at once if all are available. */
    public void start() {
        exchange.deliverBy(this);
        assembler.start(page.key(), page);
        assembler.drain();
        if (isOver) {
            return;
        }
        pageHead.timePasses();
        deadline = schedule(rules.esi().pageDeadline(), this::expired);
        if (!pageHead.needsAllParts()) {
            var delay = rules.deliver().firstFlush();
            if (delay.isZero()) {
                sendFirst();
            } else {
                firstFlush = schedule(delay, this::sendFirst);
            }
        }
    }

    @Override
    public boolean isWritable() {
        return !isTurnOver && (head == Head.WAITS || client.isWritable());
    }

    @Override
    public void write(StoredResponse body, int start, int end) {
        int begin = body.equals(page) ? start : behindMark(body, start, end);
        if (end == begin || isEmpty || !fits(end - begin)) {
            return;
        }
        collect(body, begin, end);
        if (head == Head.WAITS && pageHead.mayHaveTag()) {
            count(body, begin, end);
        }
    }

    /** Counts {@code bytes} of the page. Returns false if it is too long, and ends it. */
    private boolean fits(int bytes) {
        if (isOver) {
            return false;
        }
        spareBytes -= bytes;
        if (spareBytes >= 0) {
            spend(bytes);
            return true;
        }
        var failure = new Failure(Side.ORIGIN, Kind.TOO_LARGE, "longer than esi.max-page");
        assembler.cancel();
        drop();
        if (head == Head.WAITS) {
            failed(failure);
        } else {
            exchange.trace().failed(failure.toString());
            over();
            exchange.breakOff();
        }
        return false;
    }

    /** Updates the page's ETag with the bytes written. */
    private void count(StoredResponse body, int start, int end) {
        var hash = body.hash();
        if (hash != null) {
            pageHead.wrote(hash, start, end);
        } else {
            var from = body.body();
            var bytes = from.nioBuffer(from.readerIndex() + start, end - start);
            pageHead.wrote(ContentHash.of(bytes), 0, end - start);
        }
    }

    private void collect(StoredResponse body, int start, int end) {
        var from = body.body();
        int bytes = end - start;
        if (gzip != null) {
            var piece = body.piece(start, end);
            if (piece == null) {
                piece = compressing.compress(body, start, end, unspentBytes);
                unspentBytes -= piece == null ? 0 : bytes;
            }
            if (piece != null) {
                gzip.add(piece, collected);
                holdIfLarge(body, piece.length());
                return;
            }
            gzip.add(from.retainedSlice(from.readerIndex() + start, bytes), collected);
        } else {
            collected.add(from, from.readerIndex() + start, bytes);
        }
        holdIfLarge(body, bytes);
    }

    private void holdIfLarge(StoredResponse body, int bytes) {
        if (Answers.isLarge(bytes) && body.isShared() && body.tryRetain()) {
            retained.add(body);
        }
    }

    @Override
    public void write(byte[] text) {
        if (text.length == 0 || isEmpty || !fits(text.length)) {
            return;
        }
        if (gzip == null) {
            collected.add(text);
        } else {
            gzip.add(text, collected);
        }
        if (head == Head.WAITS) {
            pageHead.wrote(text);
        }
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
        compareCharset(fragment);
        if (head == Head.WAITS) {
            pageHead.joined(fragment);
        }
    }

    @Override
    public void joined(FragmentStream fragment) {
        if (head == Head.WAITS && pageHead.needsAllParts()) {
            pageHead.joined(((FlowingFragment) fragment).clientLifetime());
        } else {
            pageHead.isPersonal();
        }
    }

    @Override
    public void omitted(Position include, Failure failure) {
        pageHead.omitted();
        outcome.omitted(failure);
    }

    @Override
    public void isPersonal() {
        pageHead.isPersonal();
    }

    @Override
    public void problem(CacheKey document, String what) {
        pageHead.problem();
        outcome.problem(document, what);
    }

    @Override
    public void amended(ResponseEdits edits, int status) {
        var amendment = PageAmendment.of(edits, status);
        for (var refusal : amendment.refused()) {
            problem(page.key(), refusal);
        }
        pageHead.amended(amendment);
        isEmpty = amendment.status() == 204;
    }

    @Override
    public void failed(Failure failure) {
        exchange.trace().failed(failure.toString());
        outcome.failed(failure);
        over();
        Answers.error(exchange, ErrorPage.ofPage(failure), wall());
    }

    @Override
    public void progressed() {
        drain();
    }

    @Override
    public boolean later(Runnable rest) {
        // A timer, although it is due: unlike tasks, timers wait until the loop has read sockets.
        schedule(Duration.ZERO, rest);
        return true;
    }

    @Override
    public void finished() {
        if (isOver) {
            return;
        }
        if (head == Head.WAITS) {
            var all = pageHead.snapshot(true, true);
            var tag = all.tag();
            if (tag != null && Conditions.isNotModified(exchange.request(), tag)) {
                drop();
                over();
                Answers.notModified(exchange, all, wall());
                return;
            }
            endGzip();
            writeHead(all, collected.bytes());
        } else {
            endGzip();
        }
        client.body(collected);
        over();
        if (!retained.isEmpty()) {
            client.whenGone(this::letGo);
        }
        client.end();
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
        drop();
        over();
    }

    private void drain() {
        assembler.drain();
        if (!isOver && head == Head.LEFT) {
            sendCollected();
        }
    }

    /** Counts the work of a part, and gives others their turn after enough of it. */
    private void spend(int bytes) {
        turnBytes -= PART_BYTES + bytes;
        if (turnBytes <= 0 && !isTurnOver) {
            isTurnOver = true;
            schedule(Duration.ZERO, this::nextTurn);
        }
    }

    private void nextTurn() {
        isTurnOver = false;
        turnBytes = TURN_BYTES;
        if (!isOver && flowing == null) {
            drain();
        }
    }

    private void expired() {
        assembler.expire(new Failure(Side.PROXY, Kind.TIMEOUT, "page-deadline"));
        drain();
    }

    /** Sends the finished parts, unless all are finished and only wait for their turn. */
    private void sendFirst() {
        if (!isTurnOver || !assembler.isComplete()) {
            sendHead();
        }
    }

    private void sendHead() {
        if (head == Head.LEFT || isOver) {
            return;
        }
        writeHead(pageHead.snapshot(assembler.isComplete(), false), -1);
        sendCollected();
    }

    private void sendCollected() {
        if (head == Head.WAITS) {
            return;
        }
        client.body(collected);
        client.flush();
    }

    private void writeHead(PageHead.Snapshot<StoredResponse> what, long lengthBytes) {
        head = Head.LEFT;
        cancel(firstFlush);
        boolean hasBody = !isEmpty && (lengthBytes != 0 || gzip == null);
        Answers.page(exchange, what, wall(), lengthBytes, isForGzip && hasBody);
        compressing.headSent(what.page());
    }

    /** Ends the body, unless it is empty and needs no coding. */
    private void endGzip() {
        if (gzip != null && (head == Head.LEFT || collected.bytes() > 0)) {
            gzip.end(collected);
        }
    }

    /** Skips a fragment's byte order mark, which would be a character in the middle of the page. */
    private static int behindMark(StoredResponse fragment, int start, int end) {
        var body = fragment.body();
        boolean isMarked =
                start == 0
                        && end >= ByteOrderMark.LENGTH
                        && body.getUnsignedMedium(body.readerIndex()) == ByteOrderMark.UTF_8;
        return isMarked ? ByteOrderMark.LENGTH : start;
    }

    /** Bytes are inserted unchanged; a fragment in another charset would be misread. */
    private void compareCharset(StoredResponse fragment) {
        var theirs = fragment.charset();
        var ours = page.charset();
        if (theirs == null || ours == null || theirs.equals(ours) || hasForeignCharset) {
            return;
        }
        hasForeignCharset = true;
        exchange.trace()
                .fragment(
                        new ExchangeTrace.FragmentTrace(
                                fragment.key().url(),
                                "charset",
                                Duration.ZERO,
                                fragment.status(),
                                "charset is " + theirs + ", the page has " + ours,
                                null));
    }

    /** Releases the parts that will not be sent. */
    private void drop() {
        collected.drop();
        letGo();
    }

    private void letGo() {
        retained.forEach(StoredResponse::release);
        retained.clear();
    }

    private void over() {
        isOver = true;
        cancel(firstFlush);
        cancel(deadline);
        outcome.ended();
    }

    private Instant wall() {
        return rules.clocks().wall().get();
    }

    private ScheduledFuture<?> schedule(Duration delay, Runnable task) {
        return exchange.later(task, delay.toNanos());
    }

    private static void cancel(@Nullable ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** Streams a fragment to the client, with back-pressure. */
    private final class Into implements FlowingFragment.Sink {
        private final FlowingFragment fragment;

        Into(FlowingFragment fragment) {
            this.fragment = fragment;
        }

        @Override
        public void data(ByteBuf data) {
            if (!fits(data.readableBytes())) {
                data.release();
                flowing = null;
                fragment.cancel();
                return;
            }
            if (gzip == null) {
                client.body(data);
            } else {
                var blocks = new Gathering(client.alloc(), FLOWING_RUN_BYTES);
                gzip.add(data, blocks);
                client.body(blocks);
            }
            client.flush();
            if (!client.isWritable()) {
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
            exchange.breakOff();
        }
    }
}
