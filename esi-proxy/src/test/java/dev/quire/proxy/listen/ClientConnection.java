package dev.quire.proxy.listen;

import dev.quire.core.http.Scheme;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.listen.Incoming.Data;
import dev.quire.proxy.listen.Incoming.Early;
import dev.quire.proxy.listen.Incoming.End;
import dev.quire.proxy.listen.Incoming.Fault;
import dev.quire.proxy.listen.Incoming.Refused;
import dev.quire.proxy.listen.Incoming.Sound;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Feeds a client's bytes to a {@link RequestDecoder} and collects its messages as lines. */
final class ClientConnection implements AutoCloseable {
    final RequestDecoder decoder =
            new RequestDecoder(
                    new RequestValidator(
                            Scheme.HTTP, host -> true, Optional::empty, method -> false),
                    LimitsConfig.DEFAULTS,
                    new Traffic());
    final EmbeddedChannel channel;
    private final List<String> lines = new ArrayList<>();
    private int readsCompleted;
    private int readsAsked;

    /**
     * @param answering whether each request is answered as soon as it is complete
     */
    ClientConnection(boolean answering) {
        channel =
                new EmbeddedChannel(
                        new ChannelOutboundHandlerAdapter() {
                            @Override
                            public void read(ChannelHandlerContext ctx) {
                                readsAsked++;
                                ctx.read();
                            }
                        },
                        decoder,
                        new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object message) {
                                if (record((Incoming) message) && answering) {
                                    decoder.answered();
                                }
                            }

                            @Override
                            public void channelReadComplete(ChannelHandlerContext ctx) {
                                readsCompleted++;
                            }
                        });
    }

    /** Sends {@code raw}, one byte per character. */
    void send(String raw) {
        channel.writeInbound(Unpooled.copiedBuffer(raw, StandardCharsets.ISO_8859_1));
    }

    /** Returns the messages since the last call; consecutive data is one line. */
    List<String> messages() {
        var taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    int readsCompleted() {
        return readsCompleted;
    }

    int readsAsked() {
        return readsAsked;
    }

    boolean reads() {
        return channel.config().isAutoRead();
    }

    /** The client closes the connection. */
    void hangUp() {
        channel.finishAndReleaseAll();
    }

    @Override
    public void close() {
        hangUp();
    }

    /** Whether the message completes a request. */
    private boolean record(Incoming message) {
        return switch (message) {
            case Sound sound -> {
                var head = sound.head();
                lines.add(
                        head.method()
                                + " "
                                + head.scheme().text()
                                + "://"
                                + head.authority()
                                + " "
                                + head.target()
                                + (sound.keepAlive() ? "" : " close")
                                + (sound.hasBody() ? " body=" + sound.bodyBytes() : "")
                                + (sound.expectsContinue() ? " expects-continue" : ""));
                yield !sound.hasBody();
            }
            case Refused refused -> {
                lines.add(
                        refused.status()
                                + " "
                                + refused.reason()
                                + (refused.close() ? " close" : ""));
                yield true;
            }
            case Data data -> {
                var text = data.bytes().toString(StandardCharsets.ISO_8859_1);
                data.bytes().release();
                if (!lines.isEmpty() && lines.getLast().startsWith("data ")) {
                    lines.add(lines.removeLast() + text);
                } else {
                    lines.add("data " + text);
                }
                yield false;
            }
            case Early early -> {
                lines.add("early");
                yield false;
            }
            case End end -> {
                var trailers = new ArrayList<String>();
                end.trailers().forEach((name, value) -> trailers.add(" " + name + "=" + value));
                lines.add("end" + String.join("", trailers));
                yield true;
            }
            case Fault fault -> {
                lines.add("fault " + fault.reason());
                yield false;
            }
        };
    }
}
