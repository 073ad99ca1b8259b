package dev.quire.proxy.path;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.cache.AnswerSink;
import dev.quire.proxy.cache.DocumentKind;
import dev.quire.proxy.cache.Durability;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.BodyFlow;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.exchange.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Receives the response to an unsafe request: invalidates what the request has changed, and passes
 * the response on once no restart can undo that. On the exchange's loop.
 */
final class UnsafeAnswer implements AnswerSink, Exchange.Delivery {
    private final Lookup lookup;
    private final UnsafeMethodInvalidation invalidation;
    private final ClientAnswer answer;

    /** The parts of a response that must not begin yet, as they have arrived. */
    private final ArrayDeque<Part> parts = new ArrayDeque<>();

    private boolean isHeld;

    private record Part(Runnable pass, Runnable drop) {}

    private UnsafeAnswer(
            Lookup lookup, UnsafeMethodInvalidation invalidation, ClientAnswer answer) {
        this.lookup = lookup;
        this.invalidation = invalidation;
        this.answer = answer;
    }

    /** Returns what receives a response for {@code answer}: itself unless the request is unsafe. */
    static AnswerSink before(
            ClientAnswer answer, Lookup lookup, UnsafeMethodInvalidation invalidation) {
        return lookup.request().isSafe() ? answer : new UnsafeAnswer(lookup, invalidation, answer);
    }

    @Override
    public void stored(StoredResponse response) {
        var durable = invalidation.after(lookup, response.head());
        if (durable == null) {
            answer.stored(response);
        } else {
            hold(durable, null);
            add(() -> answer.stored(response), response::release);
        }
    }

    @Override
    public void head(ResponseHead head, BodyFlow body) {
        var durable = invalidation.after(lookup, head);
        if (durable == null) {
            answer.head(head, body);
        } else {
            body.pause();
            hold(durable, body);
            add(() -> answer.head(head, body), UnsafeAnswer::nothing);
        }
    }

    private void hold(CompletionStage<Durability> durable, @Nullable BodyFlow body) {
        isHeld = true;
        var exchange = lookup.exchange();
        exchange.deliverBy(this);
        durable.thenAccept(durability -> exchange.onLoop(() -> pass(body)));
    }

    private void pass(@Nullable BodyFlow body) {
        if (!isHeld) {
            return;
        }
        isHeld = false;
        lookup.exchange().deliverBy(answer);
        try {
            while (!parts.isEmpty()) {
                parts.remove().pass().run();
            }
        } finally {
            drop();
        }
        if (body != null && lookup.exchange().response().isWritable()) {
            body.resume();
        }
    }

    private void drop() {
        while (!parts.isEmpty()) {
            parts.remove().drop().run();
        }
    }

    /** Drops a part without memory of its own. */
    private static void nothing() {}

    private void add(Runnable pass, Runnable drop) {
        parts.add(new Part(pass, drop));
    }

    /** Passes the rest of a response on, behind its held parts. */
    private void rest(Runnable pass, Runnable drop) {
        if (isHeld) {
            add(pass, drop);
        } else {
            pass.run();
        }
    }

    @Override
    public void data(ByteBuf data) {
        rest(() -> answer.data(data), data::release);
    }

    @Override
    public void trailers(Fields fields) {
        rest(() -> answer.trailers(fields), UnsafeAnswer::nothing);
    }

    @Override
    public void end() {
        rest(answer::end, UnsafeAnswer::nothing);
    }

    @Override
    public void remainder(StoredResponse response, int from) {
        rest(() -> answer.remainder(response, from), response::release);
    }

    @Override
    public void failed(Failure failure) {
        rest(() -> answer.failed(failure), UnsafeAnswer::nothing);
    }

    @Override
    public void clientGone() {
        isHeld = false;
        drop();
        answer.clientGone();
    }

    @Override
    public void writable() {
        answer.writable();
    }

    @Override
    public EventLoop loop() {
        return answer.loop();
    }

    @Override
    public SentRequest request() {
        return answer.request();
    }

    @Override
    public boolean wantsWhole() {
        return answer.wantsWhole();
    }

    @Override
    public boolean hasStandIn() {
        return answer.hasStandIn();
    }

    @Override
    public boolean isServedStale() {
        return answer.isServedStale();
    }

    @Override
    public void interim(ResponseHead head) {
        answer.interim(head);
    }

    @Override
    public void switched(ResponseHead head, TunnelEnd origin) {
        answer.switched(head, origin);
    }

    @Override
    public void arriving(DocumentKind kind) {
        answer.arriving(kind);
    }

    @Override
    public void fetchSeparately() {
        answer.fetchSeparately();
    }

    @Override
    public void retryLookup() {
        answer.retryLookup();
    }

    @Override
    public void searched(@Nullable StoredResponse inFile, TierSearch search) {
        answer.searched(inFile, search);
    }

    @Override
    public void failed(Throwable bug) {
        answer.failed(bug);
    }
}
