package dev.quire.proxy.listen;

import static dev.quire.proxy.listen.Http2Peer.answer;
import static dev.quire.proxy.listen.Http2Peer.frame;
import static dev.quire.proxy.listen.Http2Peer.goAwayCode;
import static dev.quire.proxy.listen.Http2Peer.resetCode;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.policy.UpgradeRequest;
import dev.quire.proxy.config.Http2Config;
import dev.quire.proxy.exchange.RequestBody;
import dev.quire.proxy.exchange.TunnelEnd;
import dev.quire.proxy.exchange.TunnelSide;
import dev.quire.proxy.exchange.Tunnels;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Error;
import java.time.Duration;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class Http2LimitsTest {
    private final Http2Peer peer = new Http2Peer();
    private boolean ended;

    @AfterEach
    void closes() {
        peer.close();
    }

    private void assertCalmed(GoAwayReason reason) {
        assertThat(goAwayCode(peer.frames())).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
        assertThat(peer.goAways).hasToString("[" + reason + "]");
        assertThat(peer.finished).hasSameSizeAs(peer.begun);
    }

    @Test
    void settingsAreThoseOfTheConfiguration() throws Exception {
        var frames = peer.frames();
        var settings = Unpooled.wrappedBuffer(frames.getFirst().payload());

        assertThat(frames.getFirst().type()).isEqualTo(Http2Peer.SETTINGS);
        var all = new TreeMap<Integer, Long>();
        while (settings.isReadable()) {
            all.put(settings.readUnsignedShort(), settings.readUnsignedInt());
        }
        assertThat(all)
                .containsEntry(3, 100L)
                .containsEntry(4, 65_536L)
                .containsEntry(6, 32_768L)
                .containsEntry(8, 1L)
                .hasSize(4);
        assertThat(frames)
                .anyMatch(each ->
                        each.type() == Http2Peer.WINDOW_UPDATE
                                && each.stream() == 0
                                && each.number(0) == (1 << 20) - 65_535);
    }

    /** An upgrade of Netty must not loosen them. */
    @Test
    void limitsOfNettyAreOurs() throws Exception {
        var codec =
                Http2Codec.of(
                        Http2Config.DEFAULTS,
                        new LoopConnections(new EmbeddedChannel().eventLoop(), new Traffic()));
        var lists = codec.gate().configuration().headersConfiguration();

        assertThat(lists.maxHeaderListSize()).isEqualTo(32 << 10);
        assertThat(lists.maxHeaderTableSize()).isEqualTo(4096);
        assertThat(lists.maxHeaderListSizeGoAway()).isEqualTo(9 * 16_384);
        assertThat(codec.gate().configuration().frameSizePolicy().maxFrameSize()).isEqualTo(16_384);
        assertThat(codec.connection().local().allowPushTo()).isFalse();
        assertThat(codec.connection().isServer()).isTrue();
    }

    @Test
    void resetsByTheClientAreLimited() {
        for (int i = 0; i <= FloodBudgets.RESETS; i++) {
            peer.reset(peer.get("/" + i));
        }

        assertCalmed(GoAwayReason.RESETS);
        assertThat(peer.begun).hasSize(FloodBudgets.RESETS + 1);
    }

    @Test
    void resetsThatTheClientMakesUsSendAreLimited() {
        for (int i = 0; i <= FloodBudgets.RESETS; i++) {
            peer.window(peer.get("/" + i), 0);
        }

        assertCalmed(GoAwayReason.RESETS);
    }

    @Test
    void clientThatTakesResponsesMayCancelOthers() {
        peer.script =
                exchange -> {
                    if (exchange.request().target().equals("/taken")) {
                        answer(exchange, "taken");
                    }
                };
        for (int i = 0; i < 3 * FloodBudgets.RESETS; i++) {
            peer.get("/taken");
            peer.reset(peer.get("/" + i));
        }

        assertThat(peer.goAways).isEmpty();
    }

    @Test
    void framesOfContinuationAreLimited() {
        peer.send(frame(Http2Peer.HEADERS, 1, 1));
        for (int i = 0; i <= FrameGate.MAX_CONTINUATIONS; i++) {
            peer.send(frame(Http2Peer.CONTINUATION, 0, 1));
        }

        assertCalmed(GoAwayReason.CONTINUATION);
    }

    @Test
    void settingsAreLimited() {
        for (int i = 0; i < 30; i++) {
            peer.send(frame(Http2Peer.SETTINGS, 0, 0));
        }

        assertCalmed(GoAwayReason.SETTINGS);
    }

    @Test
    void pingsAreLimited() {
        for (int i = 0; i <= 60; i++) {
            peer.send(frame(Http2Peer.PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8));
        }

        assertCalmed(GoAwayReason.PING);
    }

    @Test
    void prioritiesAreIgnoredAndLimited() {
        for (int i = 0; i < 60; i++) {
            peer.send(frame(Http2Peer.PRIORITY, 0, 1, 0, 0, 0, 3, 16));
            peer.send(frame(0x10, 0, 0, 0, 0, 0, 1));
        }
        assertThat(peer.goAways).isEmpty();
        peer.send(frame(Http2Peer.PRIORITY, 0, 1, 0, 0, 0, 3, 16));

        assertCalmed(GoAwayReason.PRIORITY);
    }

    @Test
    void emptyDataIsLimitedPaddedOrNot() {
        int stream = peer.request(false, "/");
        for (int i = 0; i < 5; i++) {
            peer.data(stream, 0, false);
            peer.send(frame(Http2Peer.DATA, 8, stream, 2, 0, 0));
        }
        assertThat(peer.goAways).isEmpty();
        peer.data(stream, 0, false);

        assertCalmed(GoAwayReason.EMPTY_DATA);
    }

    @Test
    void windowUpdatesAreLimited() {
        for (int i = 0; i <= FloodBudgets.Kind.WINDOW_UPDATE.perMinute(); i++) {
            peer.window(0, 1);
        }

        assertCalmed(GoAwayReason.WINDOW_UPDATE);
    }

    @Test
    void unknownFramesAreLimited() {
        for (int i = 0; i <= FloodBudgets.Kind.OTHER.perMinute(); i++) {
            peer.send(frame(0x42, 0, 0));
        }

        assertCalmed(GoAwayReason.OTHER_FRAMES);
    }

    @Test
    void resetOfAnIdleStreamEndsTheConnection() {
        peer.reset(99);

        assertThat(goAwayCode(peer.frames())).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
    }

    @Test
    void headerListOverTheLimitIsAnsweredAndTheConnectionGoesOn() throws Exception {
        var lines = new String[8 + 2 * 200];
        var good = new String[] {":method", "GET", ":scheme", "http", ":authority", "a.b"};
        System.arraycopy(good, 0, lines, 0, 6);
        lines[6] = ":path";
        lines[7] = "/";
        for (int i = 8; i < lines.length; i += 2) {
            lines[i] = "x-" + i;
            lines[i + 1] = "v".repeat(40);
        }
        var block = Http2Peer.block(lines);
        // Each reference to the table counts with its full size.
        var indexed = Unpooled.buffer().writeBytes(Http2Peer.block(good)).writeBytes(literal());
        for (int i = 0; i < 16; i++) {
            indexed.writeByte(0xbe);
        }

        peer.send(frame(Http2Peer.HEADERS, 5, 1, indexed));
        assertThat(peer.lines(peer.framesOf(1).getFirst())).contains(":status: 431");
        peer.script = exchange -> answer(exchange, "fine");
        peer.send(frame(Http2Peer.HEADERS, 5, 3, Http2Peer.block("a", "b").writeBytes(block)));

        assertThat(peer.goAways).isEmpty();
        assertThat(peer.refusals).contains(RefusalReason.HEAD_TOO_LONG);
    }

    /** A literal of 3000 bytes that enters the table. */
    private static ByteBuf literal() {
        var out = Unpooled.buffer().writeByte(0x40).writeByte(1).writeByte('x');
        out.writeByte(127).writeByte(0xb9).writeByte(0x16);
        return out.writeBytes(new byte[127 + 0x39 + (0x16 << 7)]);
    }

    @Test
    void streamsOverTheLimitAreRefusedUntilOthersEnd() {
        for (int i = 0; i < 100; i++) {
            peer.get("/" + i);
        }
        peer.frames();

        int refused = peer.get("/over");
        assertThat(resetCode(peer.framesOf(refused))).isEqualTo(Http2Error.REFUSED_STREAM.code());
        int withBody = peer.request(false, "/over");
        peer.data(withBody, 10, true);
        assertThat(peer.begun).hasSize(100);
        assertThat(peer.goAways).isEmpty();
        answer(peer.begun.getFirst(), "done");
        peer.get("/again");

        assertThat(peer.begun).hasSize(101);
    }

    @Test
    void framesAfterOurResetAreIgnored() {
        int stream = peer.request(false, "/", "content-length", "1");
        peer.data(stream, 2, false);
        peer.frames();

        for (int i = 0; i < 4; i++) {
            peer.data(stream, 16_384, false);
        }
        peer.send(frame(Http2Peer.HEADERS, 5, stream, Http2Peer.block("a", "b")));

        assertThat(peer.resets).hasSize(1);
        assertThat(peer.goAways).isEmpty();
    }

    /** The window of the stream limits what may still be on its way. */
    @Test
    void dataAfterOurResetIsLimited() {
        int stream = peer.request(false, "/", "content-length", "1");
        peer.data(stream, 2, false);
        for (int i = 0; i < 4; i++) {
            peer.data(stream, 16_384, false);
        }
        peer.frames();

        peer.data(stream, 1, false);

        assertThat(goAwayCode(peer.frames())).isEqualTo(Http2Error.FLOW_CONTROL_ERROR.code());
    }

    /** Lines of Cookie are one field, which has the limit of a field. */
    @Test
    void linesOfCookieAreOneField() {
        peer.script = exchange -> answer(exchange, "fine");
        peer.request(true, "/", cookies(400, "n=1"));
        assertThat(peer.begun).hasSize(1);
        assertThat(peer.begun.getFirst().receivedFields().all("Cookie"))
                .singleElement()
                .satisfies(joined -> assertThat(joined).hasSize(400 * 3 + 399 * 2));

        var block = Http2Peer.block(":method", "GET", ":scheme", "http", ":authority", "a.b");
        block.writeBytes(Http2Peer.block(":path", "/"));
        block.writeBytes(Http2Peer.block(cookies(17, "n=" + "v".repeat(998))));
        peer.send(
                frame(Http2Peer.HEADERS, 1, 3, block.readSlice(10_000)),
                frame(Http2Peer.CONTINUATION, 4, 3, block));

        assertThat(peer.begun).hasSize(1);
        assertThat(peer.refusals).containsExactly(RefusalReason.FIELD_TOO_LONG);
    }

    private static String[] cookies(int count, String value) {
        var lines = new String[2 * count];
        for (int i = 0; i < lines.length; i += 2) {
            lines[i] = "cookie";
            lines[i + 1] = value;
        }
        return lines;
    }

    /** A byte now and then is less than a client must take. */
    @Test
    void clientThatTakesSingleBytesIsCut() {
        peer.script = exchange -> answer(exchange, "x".repeat(100_000));
        int stream = peer.get("/");
        peer.frames();

        for (int i = 0; i < 60; i++) {
            peer.pass(Duration.ofMillis(500));
            peer.window(stream, 1);
        }
        assertThat(peer.resets).isEmpty();
        for (int i = 0; i < 4; i++) {
            peer.window(stream, 1);
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.CANCEL.code());
        assertThat(peer.finished).hasSize(1);
    }

    /** Its own streams compete for a slow connection. */
    @Test
    void slowClientOfManyStreamsGetsAll() {
        peer.send(frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 16, 0, 0));
        peer.script = exchange -> answer(exchange, "x".repeat(2_000));
        peer.get("/first");
        peer.script = exchange -> answer(exchange, "x".repeat(70_000));
        peer.get("/second");
        peer.frames();

        for (int i = 0; i < 300; i++) {
            peer.pass(Duration.ofMillis(500));
            peer.window(0, 20);
        }
        assertThat(peer.resets).isEmpty();
        peer.window(0, 70_000);

        assertThat(peer.frames()).filteredOn(Http2Peer.Frame::endsStream).hasSize(1);
        assertThat(peer.finished).hasSize(2);
        assertThat(peer.channel.isOpen()).isTrue();
    }

    /** A peer must not get DATA behind a reset, though the reset itself waits to be sent. */
    @Test
    void nothingFollowsAReset() {
        var stuck = new Stuck();
        peer.script =
                exchange -> {
                    exchange.response().head(200);
                    exchange.response().endHead(false);
                    exchange.response().body(Unpooled.buffer().writeZero(100_000));
                    exchange.response().flush();
                };
        int stream = peer.get("/");
        peer.frames();
        peer.channel.pipeline().addFirst(stuck);
        peer.begun.getFirst().response().abort();
        peer.window(stream, 100_000);
        peer.window(0, 100_000);
        peer.channel.pipeline().remove(stuck);
        peer.channel.flush();

        assertThat(peer.framesOf(stream))
                .singleElement()
                .satisfies(frame -> assertThat(frame.type()).isEqualTo(Http2Peer.RST_STREAM));
    }

    /** A frame of DATA is complete only after 16 s at 1 KiB a second. */
    @Test
    void bodyInSlowPiecesOfOneFrameGoesOn() {
        peer.script = exchange -> Objects.requireNonNull(exchange.body()).flowTo(new Ignored());
        int stream = peer.request(false, "/");
        var whole = frame(Http2Peer.DATA, 1, stream, Unpooled.buffer().writeZero(16_384));
        while (whole.isReadable()) {
            peer.send(whole.readBytes(Math.min(whole.readableBytes(), 600)));
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(peer.failed).isEmpty();
        assertThat(ended).isTrue();
    }

    @Test
    void clientThatSaysGoAwayGetsOneBehindItsLastResponse() {
        peer.get("/");
        peer.frames();
        peer.send(frame(Http2Peer.GOAWAY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(peer.frames()).isEmpty();

        answer(peer.begun.getFirst(), "last");

        assertThat(goAwayCode(peer.frames())).isZero();
        assertThat(peer.goAways).containsExactly(GoAwayReason.CLIENT);
        assertThat(peer.channel.isOpen()).isFalse();
    }

    /** Streams that are left when the time for draining is over end with GOAWAY, not with FIN. */
    @Test
    void endOfTheDrainEndsWhatIsLeft() {
        peer.get("/");
        peer.siblings.drain();
        peer.frames();

        peer.siblings.end();

        assertThat(peer.frames().getLast().type()).isEqualTo(Http2Peer.GOAWAY);
        assertThat(peer.goAways).containsExactly(GoAwayReason.DRAIN);
        assertThat(peer.finished).hasSize(1);
        assertThat(peer.channel.isOpen()).isFalse();
    }

    @Test
    void originThatBreaksOffResetsItsTunnelBehindTheLastBytes() {
        peer.send(frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 100));
        var origin = new TunnelEnd(new Silent());
        int stream = openTunnel(origin);
        origin.received(Unpooled.buffer().writeZero(300));
        origin.readComplete();
        peer.frames();

        origin.gone();
        peer.window(stream, 1000);

        var frames = peer.framesOf(stream);
        assertThat(frames).hasSize(2);
        assertThat(frames.getFirst().endsStream()).isFalse();
        assertThat(resetCode(frames)).isEqualTo(Http2Error.CANCEL.code());
    }

    @Test
    void idleConnectionIsClosedWithGoAway() {
        peer.script = exchange -> answer(exchange, "done");
        peer.get("/");
        peer.frames();

        peer.pass(Duration.ofSeconds(14));
        assertThat(peer.goAways).isEmpty();
        peer.pass(Duration.ofSeconds(2));

        assertThat(goAwayCode(peer.frames())).isZero();
        assertThat(peer.goAways).hasToString("[IDLE]");
        assertThat(peer.channel.isOpen()).isFalse();
    }

    @Test
    void withoutKeepAliveTheConnectionEndsWithItsResponses() {
        try (var once = new Http2Peer(Http2Config.DEFAULTS, Duration.ZERO, "")) {
            once.get("/1");
            once.get("/2");
            answer(once.begun.get(0), "1");
            assertThat(once.channel.isOpen()).isTrue();
            answer(once.begun.get(1), "2");

            assertThat(goAwayCode(once.frames())).isZero();
            assertThat(once.channel.isOpen()).isFalse();
        }
    }

    @Test
    void incompleteFrameTimesOut() {
        peer.get("/");
        peer.send(Unpooled.buffer().writeZero(5));

        for (int i = 0; i < 22; i++) {
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(peer.goAways).hasToString("[FRAME_TIMEOUT]");
    }

    @Test
    void drainAcceptsWhatIsOnItsWayAndThenCloses() {
        peer.get("/before");
        peer.frames();

        peer.siblings.drain();
        var first = peer.frames();
        assertThat(first.getFirst().number(0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(goAwayCode(first)).isZero();
        int late = peer.get("/on-its-way");
        assertThat(peer.begun).hasSize(2);
        peer.send(frame(Http2Peer.PING, Http2Peer.ACK, 0, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(peer.frames().getFirst().number(0)).isEqualTo(late);
        int refused = peer.get("/too-late");
        assertThat(peer.begun).hasSize(2);
        assertThat(resetCode(peer.framesOf(refused))).isEqualTo(Http2Error.REFUSED_STREAM.code());

        answer(peer.begun.get(0), "before");
        assertThat(peer.channel.isOpen()).isTrue();
        answer(peer.begun.get(1), "on its way");

        assertThat(peer.frames()).hasSize(4);
        assertThat(peer.channel.isOpen()).isFalse();
    }

    @Test
    void drainDoesNotWaitForeverForAnAnswer() {
        peer.siblings.drain();
        peer.pass(Duration.ofMillis(600));

        assertThat(peer.channel.isOpen()).isFalse();
    }

    /** A slow client is inside of some frame at each read; its body has a limit of its own. */
    @Test
    void bodyInSlowPiecesOfFramesGoesOn() {
        int stream = peer.request(false, "/");
        var frames = Unpooled.buffer();
        for (int i = 0; i < 60; i++) {
            var part = Unpooled.buffer().writeZero(1000);
            frames.writeBytes(frame(Http2Peer.DATA, i == 59 ? 1 : 0, stream, part));
        }
        // A frame begins every 1,009 bytes.
        while (frames.isReadable()) {
            peer.send(frames.readBytes(Math.min(frames.readableBytes(), 1001)));
            peer.pass(Duration.ofMillis(500));
            peer.frames();
        }

        assertThat(peer.goAways).isEmpty();
        assertThat(peer.resets).isEmpty();
    }

    @Test
    void headerBlockInSlowPiecesTimesOut() {
        var request = Http2Peer.block(":method", "GET", ":scheme", "http", ":path", "/");
        peer.send(frame(Http2Peer.HEADERS, 1, 1, request.readSlice(10)));
        for (int i = 0; i < 5 && peer.goAways.isEmpty(); i++) {
            peer.send(frame(Http2Peer.CONTINUATION, 0, 1, request.readSlice(1)));
            for (int half = 0; half < 6; half++) {
                peer.pass(Duration.ofMillis(500));
            }
        }

        assertThat(peer.goAways).hasToString("[FRAME_TIMEOUT]");
    }

    /** GOAWAY must not be the end of the limits: the client may read nothing of it. */
    @Test
    void connectionIsClosedAfterGoAwayThoughTheClientReadsNothing() {
        peer.channel.pipeline().addFirst(new Stuck());
        peer.script = exchange -> answer(exchange, "x".repeat(10_000));
        peer.get("/");
        peer.send(frame(Http2Peer.DATA, 0, 0, 1));
        assertThat(peer.goAways).hasToString("[PROTOCOL_ERROR]");

        for (int i = 0; i < 58; i++) {
            peer.pass(Duration.ofMillis(500));
        }
        assertThat(peer.channel.isOpen()).isTrue();
        for (int i = 0; i < 6; i++) {
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(peer.channel.isOpen()).isFalse();
    }

    /** The clock of a loop does not begin with the connection. */
    @Test
    void bytesThatWaitFromTheBeginningHaveTheirTime() {
        try (var late = new Http2Peer()) {
            late.get("/open");
            late.channel.advanceTimeBy(1, TimeUnit.HOURS);
            late.channel.pipeline().addFirst(new Stuck());
            late.script = exchange -> answer(exchange, "x".repeat(10_000));
            late.get("/");

            for (int i = 0; i < 50; i++) {
                late.pass(Duration.ofMillis(500));
            }

            assertThat(late.channel.isOpen()).isTrue();
            assertThat(late.goAways).isEmpty();
        }
    }

    @Test
    void bytesThatWaitForAWindowFromTheBeginningHaveTheirTime() {
        try (var late = new Http2Peer()) {
            late.get("/open");
            late.channel.advanceTimeBy(1, TimeUnit.HOURS);
            late.send(frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 0));
            late.script = exchange -> answer(exchange, "x".repeat(10_000));
            late.get("/");

            for (int i = 0; i < 58; i++) {
                late.pass(Duration.ofMillis(500));
            }
            assertThat(late.resets).isEmpty();
            for (int i = 0; i < 6; i++) {
                late.pass(Duration.ofMillis(500));
            }

            assertThat(late.resets).containsExactly(Http2Error.CANCEL);
        }
    }

    /** Holds everything that is written, as a socket does whose buffer is full. */
    private static final class Stuck extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext ctx) {}
    }

    @Test
    void streamThatIsNotReadDoesNotHoldTheOthers() {
        peer.script = exchange -> answer(exchange, "x".repeat(2 << 20));
        peer.get("/large");
        peer.script = exchange -> {};
        int other = peer.get("/other");
        peer.window(0, 10 << 20);
        peer.frames();

        var response = peer.begun.getLast().response();
        response.head(200);
        response.endHead(false);
        int sent = 0;
        for (int i = 0; i < 100; i++) {
            if (response.isWritable()) {
                response.body(Unpooled.buffer().writeZero(1000));
                response.flush();
                sent++;
            }
            peer.window(other, 1000);
        }

        assertThat(sent).isEqualTo(100);
        assertThat(peer.framesOf(other)).hasSize(101);
    }

    @Test
    void tunnelThatHasEndedIsCutIfTheClientTakesNothing() {
        peer.send(frame(Http2Peer.SETTINGS, 0, 0, 0, 4, 0, 0, 0, 100));
        var origin = new TunnelEnd(new Silent());
        int stream = openTunnel(origin);
        origin.received(Unpooled.buffer().writeZero(1000));
        origin.readComplete();
        origin.gone();
        assertThat(peer.framesOf(stream)).hasSize(2);

        for (int i = 0; i < 64; i++) {
            peer.pass(Duration.ofMillis(500));
        }

        assertThat(resetCode(peer.framesOf(stream))).isEqualTo(Http2Error.CANCEL.code());
    }

    private int openTunnel(TunnelEnd origin) {
        var tunnels = new Tunnels(1);
        peer.script =
                exchange -> {
                    var asked = new UpgradeRequest.WebSocket("key");
                    var place = Objects.requireNonNull(tunnels.reserve(asked, Duration.ofHours(1)));
                    exchange.response().head(200);
                    exchange.response().tunnel(origin, place);
                };
        return peer.headers(
                false,
                ":method",
                "CONNECT",
                ":protocol",
                "websocket",
                ":scheme",
                "http",
                ":authority",
                "news.example",
                ":path",
                "/",
                "sec-websocket-version",
                "13");
    }

    /** Takes a body, and notes its end. */
    private final class Ignored implements RequestBody.Sink {
        @Override
        public void data(ByteBuf data) {
            data.release();
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public void broken(Failure failure) {
            throw new AssertionError("broken: " + failure);
        }
    }

    /** The connection of an origin that says nothing by itself. */
    private final class Silent implements TunnelSide {
        @Override
        public EventLoop loop() {
            return peer.channel.eventLoop();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isInputEnded() {
            return false;
        }

        @Override
        public long pendingBytes() {
            return 0;
        }

        @Override
        public void read(boolean isOn) {}

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public void write(ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void flush() {}

        @Override
        public void endOutput() {}

        @Override
        public void close() {}
    }
}
