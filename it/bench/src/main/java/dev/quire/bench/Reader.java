package dev.quire.bench;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** Takes the response to one request, which must be stored and shared, and releases it. */
record Reader(EventLoop loop, SentRequest request) implements AnswerSink {

    @Override
    public boolean wantsWhole() {
        return true;
    }

    @Override
    public void stored(StoredResponse response) {
        response.release();
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        response.release();
    }

    @Override
    public void head(ResponseHead head, BodyFlow flow) {
        throw unexpected("a response that is not stored");
    }

    @Override
    public void data(ByteBuf data) {
        data.release();
        throw unexpected("a body in parts");
    }

    @Override
    public void end() {
        throw unexpected("the end of a response that is not stored");
    }

    @Override
    public void failed(Failure failure) {
        throw unexpected(failure.detail());
    }

    @Override
    public void fetchSeparately() {
        throw unexpected("a response that must not be shared");
    }

    @Override
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        throw unexpected("the end of a search");
    }

    @Override
    public void retryLookup() {
        throw unexpected("a request to ask again");
    }

    @Override
    public void failed(Throwable bug) {
        throw new IllegalStateException(bug);
    }

    private IllegalStateException unexpected(String found) {
        return new IllegalStateException(
                request.received().target() + ": expected a stored response, found " + found);
    }
}
