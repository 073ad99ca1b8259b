package dev.quire.proxy.listen;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import dev.quire.proxy.listen.Incoming.ValidationResult;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the frames of a client, which Netty has found valid for the states of their streams, into
 * requests. Confined to the connection's loop.
 */
final class Http2Requests extends Http2EventAdapter {
    private final Http2Handler handler;
    private final Http2Connection connection;
    private final FrameGate gate;
    private final Http2Connection.PropertyKey key;
    private final RequestValidator validator;
    private final Supplier<ConnectionRules> currentRules;
    private final Arrival arrival;

    /** As announced to the client. */
    private final long maxStreams;

    private ConnectionRules rules;
    private Exchange.Peer peer;
    private boolean hasAsked;

    Http2Requests(
            Http2Handler handler,
            Http2Codec codec,
            RequestValidator validator,
            Supplier<ConnectionRules> rules,
            Arrival arrival) {
        this.handler = handler;
        this.connection = codec.connection();
        this.gate = codec.gate();
        this.key = connection.newKey();
        this.maxStreams =
                Objects.requireNonNullElse(
                        codec.settings().maxConcurrentStreams(), Long.valueOf(Long.MAX_VALUE));
        this.validator = validator;
        this.currentRules = rules;
        this.arrival = arrival;
        this.rules = rules.get();
        this.peer = this.rules.peer(arrival);
    }

    /** Those of the last request. */
    ConnectionRules rules() {
        return rules;
    }

    /** Whether there was a request. */
    boolean hasAsked() {
        return hasAsked;
    }

    /** Returns null for a stream without a request. */
    @Nullable ClientStream streamOf(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    /** The list of fields was decoded and dropped: the connection can go on. */
    void headTooLong(int streamId) {
        try {
            var stream = connection.remote().createStream(streamId, gate.isBlockLast());
            var unknown = new RefusedRequest(RefusedRequest.UNKNOWN.head(), RefusedRequest.HTTP_2);
            begin(
                    stream,
                    new Refused(RefusalReason.HEAD_TOO_LONG, "", true, unknown),
                    gate.isBlockLast(),
                    false);
        } catch (Http2Exception e) {
            handler.onError(handler.context(), false, e);
        }
    }

    /** Rules that have changed apply from the next request on. */
    @SuppressWarnings("ReferenceEquality") // Compared for each request.
    private void takeRules() {
        var newest = currentRules.get();
        if (newest != rules) {
            rules = newest;
            peer = newest.peer(arrival);
        }
    }

    private void begin(
            Http2Stream netty, ValidationResult result, boolean isReceived, boolean isHead)
            throws Http2Exception {
        if (handler.openStreams() >= maxStreams) {
            throw Http2Exception.streamError(
                    netty.id(), Http2Error.REFUSED_STREAM, "too many streams");
        }
        hasAsked = true;
        if (result instanceof Refused malformed && malformed.reason().isMalformedHttp2()) {
            report(malformed);
            throw Http2Exception.streamError(
                    netty.id(), Http2Error.PROTOCOL_ERROR, malformed.reason().name());
        }
        var stream = new ClientStream(handler, netty, isHead, isReceived);
        netty.setProperty(key, stream);
        handler.opened();
        rules.events().streamOpened();
        switch (result) {
            case Sound sound -> stream.begin(sound, rules, peer);
            case Refused refused -> stream.refuse(refused, rules, peer);
        }
    }

    private void report(Refused refused) {
        rules.report(
                refused,
                RequestId.of(refused.request().head(), peer.isTrusted()),
                peer,
                new Refusal.Response(0, 0, 0));
    }

    private Http2Exception malformed(ClientStream stream, RefusalReason reason) {
        var request = new RefusedRequest(RefusedRequest.UNKNOWN.head(), RefusedRequest.HTTP_2);
        report(new Refused(reason, "", true, request));
        return Http2Exception.streamError(stream.id(), Http2Error.PROTOCOL_ERROR, reason.name());
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int streamDependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean endOfStream)
            throws Http2Exception {
        if (!(headers instanceof RequestLines lines)) {
            throw new IllegalStateException("expected the lists of this codec");
        }
        var netty = connection.stream(streamId);
        var known = streamOf(netty);
        if (known == null) {
            takeRules();
            begin(netty, checked(lines, endOfStream), endOfStream, lines.isHead());
        } else if (Http2Head.trailerFault(lines) != null) {
            throw malformed(known, RefusalReason.BAD_TRAILERS);
        } else if (!known.received(lines.asTrailers())) {
            throw malformed(known, RefusalReason.BAD_CONTENT_LENGTH);
        }
    }

    private ValidationResult checked(RequestLines lines, boolean isReceived) {
        var reader = new Http2Head.Reader(lines, rules.limits());
        var fault = reader.fault();
        var head = reader.head();
        if (head != null) {
            var result = validator.check(head, isReceived, peer.isTrusted());
            if (!(result instanceof Refused refused)) {
                return result;
            }
            fault = refused;
        }
        if (fault == null) {
            throw new IllegalStateException("expected a head or a fault");
        }
        return fault.of(RefusedRequest.of(lines, Scheme.HTTP));
    }

    @Override
    public int onDataRead(
            ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
            throws Http2Exception {
        var stream = streamOf(connection.stream(streamId));
        if (stream == null) {
            return data.readableBytes() + padding;
        }
        if (stream.awaitsTunnel()) {
            throw malformed(stream, RefusalReason.EARLY_TUNNEL_BYTES);
        }
        int taken = stream.data(data);
        if (taken < 0 || (endOfStream && !stream.received(Fields.EMPTY))) {
            throw malformed(stream, RefusalReason.BAD_CONTENT_LENGTH);
        }
        return taken + padding;
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) {
        rules.events().reset(ListenEvents.Side.CLIENT, Http2Error.valueOf(errorCode));
        var stream = streamOf(connection.stream(streamId));
        if (stream != null) {
            stream.gone(ClientFailures.GONE);
        }
    }

    @Override
    public void onGoAwayRead(
            ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData) {
        // Its requests are answered; it opens no more streams.
        handler.noMoreStreams();
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext ctx) {
        // Netty refuses further streams before it knows their numbers, which breaks the
        // connection if they have bodies. This class refuses them.
        connection.remote().maxActiveStreams(Integer.MAX_VALUE);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) {
        handler.ponged();
    }
}
