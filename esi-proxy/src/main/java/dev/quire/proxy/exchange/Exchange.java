package dev.quire.proxy.exchange;

import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.http.AcceptEncoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.policy.CacheStatus;
import dev.quire.core.policy.ClientDirectives;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One request of a client and the way its answer takes. Confined to one event loop. */
public final class Exchange {

    /** What an exchange must be told about its connection. */
    public interface Delivery {
        /** The client takes more. */
        void writable();

        /** The client has gone: nobody wants the answer. */
        void clientGone();
    }

    private final @Nullable RequestBody body;
    private final Peer peer;
    private final ResponseChannel response;
    private final ForwardedFields forwarding;
    private final ExchangeHandler handler;
    private final ExchangeTrace trace;
    private RequestHead request;
    private @Nullable Generation generation;
    private @Nullable Fields forwarded;
    private @Nullable AcceptEncoding accepted;
    private @Nullable Delivery delivery;
    private @Nullable AssemblyNotes notes;
    private ClientDirectives directives = ClientDirectives.NONE;
    private @Nullable CacheStatus cacheStatus;
    private long ttlSeconds;
    private boolean isOver;

    /**
     * @param body null when the request has none
     * @param response the way back to the client
     * @param handler told of what goes wrong beside its connection
     */
    public Exchange(
            RequestHead request,
            @Nullable RequestBody body,
            Peer peer,
            ResponseChannel response,
            ForwardedFields forwarding,
            ExchangeHandler handler) {
        this.request = request;
        this.body = body;
        this.peer = peer;
        this.response = response;
        this.forwarding = forwarding;
        this.handler = handler;
        this.trace = new ExchangeTrace(System.nanoTime());
    }

    /**
     * The other end of the connection.
     *
     * @param port 0 where it has none
     */
    public record Peer(InetAddress address, int port, boolean isTrusted) {}

    /** Makes the fields an origin may see of the fields a client sent. */
    public interface ForwardedFields {
        Fields of(RequestHead request, InetAddress client);
    }

    public RequestHead request() {
        return request;
    }

    public @Nullable RequestBody body() {
        return body;
    }

    /** The client's fields as far as an origin may see them; made when first needed. */
    public Fields forwarded() {
        if (forwarded == null) {
            forwarded = forwarding.of(request, peer.address());
        }
        return forwarded;
    }

    /** Which content codings the client takes; read when first needed. */
    public AcceptEncoding accepted() {
        if (accepted == null) {
            accepted = AcceptEncoding.of(request.fields());
        }
        return accepted;
    }

    public Peer peer() {
        return peer;
    }

    /** The way back to the client. */
    public ResponseChannel response() {
        return response;
    }

    public EventLoop loop() {
        return response.loop();
    }

    public ExchangeTrace trace() {
        return trace;
    }

    /** Has what its page is made of noted down, from now on. */
    public void observe() {
        notes = new AssemblyNotes(loop().ticker()::nanoTime);
    }

    /** Where what its page is made of is noted down; null if nobody observes. */
    public @Nullable AssemblyNotes notes() {
        return notes;
    }

    /** What the client wants of the cache; nothing unless it is heard. */
    public ClientDirectives directives() {
        return directives;
    }

    /** The client is one whose wishes are heard. */
    public void heed(ClientDirectives wishes) {
        directives = wishes;
    }

    /** How it was handled, for a client that may know; null for any other. */
    public @Nullable CacheStatus cacheStatus() {
        return cacheStatus;
    }

    /** What is left of the lifetime of the stored response that {@link #cacheStatus} speaks of. */
    public long ttlSeconds() {
        return ttlSeconds;
    }

    /** How it was handled, and what is left of the stored response's lifetime, if there is one. */
    public void handled(CacheStatus status, long secondsLeft) {
        cacheStatus = status;
        ttlSeconds = secondsLeft;
    }

    /** Takes {@code step} after {@code nanos}; a bug in it ends the exchange. */
    public ScheduledFuture<?> later(Runnable step, long nanos) {
        return loop().schedule(() -> take(step), Math.max(nanos, 0), TimeUnit.NANOSECONDS);
    }

    /**
     * Takes {@code step}, which another exchange's fetch or a timer has brought about: a bug in it
     * ends this exchange, and nothing else. On its loop.
     */
    public void take(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException bug) {
            handler.failed(this, bug);
        }
    }

    /** A step of it has thrown. */
    public void failed(RuntimeException bug) {
        handler.failed(this, bug);
    }

    /**
     * The parts that serve it until it is over.
     *
     * @param asServed the request with the variant that these parts give its client
     */
    public void servedBy(Generation parts, RequestHead asServed) {
        generation = parts;
        request = asServed;
    }

    /** Its connection is done with it. */
    public void over() {
        if (!isOver && generation != null) {
            generation.ended();
        }
        isOver = true;
    }

    public boolean isOver() {
        return isOver;
    }

    /** Who delivers the answer, from now on. */
    public void deliverBy(Delivery next) {
        delivery = next;
    }

    /** The connection takes more. */
    public void writable() {
        if (delivery != null) {
            delivery.writable();
        }
    }

    /** The client has gone. */
    public void clientGone() {
        var last = delivery;
        delivery = null;
        if (last != null) {
            last.clientGone();
        }
    }
}
