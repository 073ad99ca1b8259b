package dev.quire.proxy.cache;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A sink that records its calls as text and releases the responses. */
final class Taker implements AnswerSink {
    private final EventLoop loop;
    private final RequestHead request;
    private final boolean wantsWhole;
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private volatile @Nullable BodyFlow flow;
    private volatile @Nullable StoredResponse stored;
    private @Nullable Runnable atHead;
    private Runnable atSearch = () -> {};
    private boolean hasStandIn;
    private boolean takesFiles;
    private boolean takesStored = true;
    private Supplier<@Nullable String> look = () -> null;
    private @Nullable RuntimeException bug;
    private boolean isWithoutMemory;

    Taker(CacheHouse.Loop loop, RequestHead request, boolean wantsWhole) {
        this.loop = loop.events();
        this.request = request;
        this.wantsWhole = wantsWhole;
    }

    /** Runs {@code what} when the head arrives, from within that call. */
    void atHead(Runnable what) {
        atHead = what;
    }

    /** Runs {@code what} when a search has ended, from within that call. */
    Taker atSearch(Runnable what) {
        atSearch = what;
        return this;
    }

    /** Uses a stale response if the origin is slow. */
    Taker withStandIn() {
        hasStandIn = true;
        return this;
    }

    /** Throws {@code thrown} instead of using a stale response. */
    Taker withStandIn(RuntimeException thrown) {
        bug = thrown;
        return withStandIn();
    }

    /** Its client wants a newer response than a stored one. */
    Taker newer() {
        takesStored = false;
        return this;
    }

    /** Has no memory for a whole response. */
    Taker withoutMemory() {
        isWithoutMemory = true;
        return this;
    }

    /** Takes bodies that are in files. */
    Taker takingFiles() {
        takesFiles = true;
        return this;
    }

    /** Looks by {@code look} once a search has found something. */
    Taker looking(Supplier<@Nullable String> look) {
        this.look = look;
        return this;
    }

    List<String> heard() {
        return heard;
    }

    BodyFlow flow() {
        var last = flow;
        if (last == null) {
            throw new IllegalStateException("expected a head, got " + heard);
        }
        return last;
    }

    /** The whole response received; its reference was released. */
    StoredResponse stored() {
        var last = stored;
        if (last == null) {
            throw new IllegalStateException("expected a whole response, got " + heard);
        }
        return last;
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public SentRequest request() {
        return SentRequest.of(request);
    }

    @Override
    public boolean wantsWhole() {
        return wantsWhole;
    }

    @Override
    public boolean hasStandIn() {
        return hasStandIn;
    }

    @Override
    public boolean isServedStale() {
        if (bug != null) {
            throw bug;
        }
        hear("stale");
        return true;
    }

    @Override
    public void interim(ResponseHead head) {
        hear("interim " + head.status());
    }

    @Override
    public void head(ResponseHead head, BodyFlow body) {
        flow = body;
        hear("head " + head.status());
        if (atHead != null) {
            atHead.run();
        }
    }

    @Override
    public void data(ByteBuf data) {
        hear("data " + data.toString(StandardCharsets.ISO_8859_1));
        data.release();
    }

    @Override
    public void end() {
        hear("end");
    }

    @Override
    public void failed(Failure failure) {
        hear("failed " + failure.kind());
    }

    @Override
    public void stored(StoredResponse response) {
        if (isWithoutMemory) {
            response.release();
            throw new OutOfMemoryError("expected no more memory");
        }
        stored = response;
        hear(
                "whole "
                        + response.head().status()
                        + " "
                        + response.body().toString(StandardCharsets.ISO_8859_1));
        response.release();
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        var body = response.body();
        data(body.retainedSlice(body.readerIndex() + from, response.length() - from));
        response.release();
        end();
    }

    @Override
    public void fetchSeparately() {
        hear("alone");
    }

    @Override
    public boolean takesStored() {
        return takesStored;
    }

    @Override
    public boolean takesFiles() {
        return takesFiles;
    }

    @Override
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        if (inFile == null) {
            hear(search.isFound() ? "found " + look.get() : "not found");
        } else {
            hear("in a file: " + InFiles.text(inFile, 0, inFile.length()));
            inFile.release();
        }
        atSearch.run();
    }

    @Override
    public void retryLookup() {
        hear("again");
    }

    @Override
    public void failed(Throwable bug) {
        hear("bug " + bug.getMessage());
    }

    private void hear(String what) {
        heard.add(loop.inEventLoop() ? what : what + " on a foreign loop");
    }
}
