package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Fields;
import io.netty.channel.WriteBufferWaterMark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests with a body. */
class UploadTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private final Rig rig = new Rig();

    @AfterEach
    void everythingIsReleased() {
        rig.close();
    }

    private Recorder post(UploadedBody body) {
        return rig.fetch(Rig.request("POST", "/vote", body));
    }

    /** Sends as much of the body as is worth a connection. */
    private Recorder postStart(UploadedBody body) {
        var got = post(body);
        body.send("-".repeat(HeldUpload.START_BYTES));
        rig.turn();
        return got;
    }

    @Test
    void aBodyOfKnownLengthIsSentWithItsLength() {
        var body = new UploadedBody(5, false);
        var got = post(body);

        body.send("he");
        body.send("llo");
        body.sink().end();
        rig.turn();
        var heard = rig.peer().heard();
        rig.answer(OK);

        assertThat(heard)
                .isEqualTo(
                        "POST /vote HTTP/1.1\r\nHost: news.test\r\ncontent-length: 5\r\n\r\nhello");
        assertThat(got.events).containsExactly("head 200", "end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
        assertThat(body.isReleased()).isTrue();
    }

    @Test
    void aBodyOfUnknownLengthIsSentInChunks() {
        var body = new UploadedBody(-1, false);
        post(body);

        body.send("hello");
        body.send("");
        body.send("you");
        body.sink().end();
        rig.turn();

        assertThat(rig.peer().heard())
                .contains("transfer-encoding: chunked\r\n")
                .doesNotContain("content-length")
                .endsWith("\r\n\r\n5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "5, false"})
    void namedTrailersFollowAChunkedBody(long length, boolean areSent) {
        var body = new UploadedBody(length, false);
        rig.fetch(Rig.withTrailers(Rig.request("POST", "/vote", body), "X-Sum", "Host"));

        body.send("hello");
        body.sink().trailers(Fields.of("x-sum", "1", "X-Other", "2", "Host", "evil"));
        body.sink().end();
        rig.turn();

        assertThat(rig.peer().heard())
                .endsWith(areSent ? "\r\n5\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n" : "\r\n\r\nhello");
    }

    @Test
    void trailersFollowTheHeldRestOfABody() {
        var body = new UploadedBody(-1, false);
        rig.fetch(Rig.withTrailers(Rig.request("POST", "/vote", body), "X-Sum"));
        body.send("-".repeat(HeldUpload.START_BYTES));
        rig.turn();

        body.send("hello");
        body.sink().trailers(Fields.of("X-Sum", "1"));
        body.sink().end();
        rig.turn();

        assertThat(rig.peer().heard()).endsWith("\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n");
    }

    @Test
    void aPostWithoutBodySaysSo() {
        rig.fetch(Rig.request("POST", "/vote", null));

        assertThat(rig.peer().heard()).endsWith("\r\ncontent-length: 0\r\n\r\n");
    }

    @Test
    void aBrokenBodyNeverLooksWholeToTheOrigin() {
        var body = new UploadedBody(-1, false);
        var got = postStart(body);
        body.send("hello");
        rig.turn();

        body.sink().broken(new Failure(Side.CLIENT, Kind.TIMEOUT, "too slow"));
        rig.turn();

        assertThat(rig.peer().heard()).endsWith("5\r\nhello\r\n");
        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(got.events).containsExactly("failed CLIENT TIMEOUT");
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @Test
    void aBodyShorterThanAnnouncedIsBroken() {
        var body = new UploadedBody(5, false);
        var got = post(body);
        body.send("hell");

        body.sink().end();
        rig.turn();

        assertThat(got.events).containsExactly("failed CLIENT CANCELLED");
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void aBodyLongerThanAnnouncedIsBroken() {
        var body = new UploadedBody(3, false);
        var got = post(body);

        body.send("hello");
        body.sink().end();
        rig.turn();

        assertThat(got.events).containsExactly("failed CLIENT CANCELLED");
        assertThat(rig.peer().heard()).doesNotContain("hello");
        assertThat(body.isReleased()).isTrue();
    }

    @Test
    void anAnswerBeforeTheEndOfTheUploadStopsItAndClosesTheConnection() {
        var body = new UploadedBody(100_000, false);
        var got = postStart(body);
        body.send("hello");
        rig.turn();

        rig.answer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
        body.send("more");
        body.sink().end();
        rig.turn();

        assertThat(got.events).containsExactly("head 413", "data big", "end");
        assertThat(body.isFlowing()).isFalse();
        assertThat(body.isReleased()).isTrue();
        assertThat(rig.peer().heard()).endsWith("hello");
        assertThat(rig.peer().isClosed()).isTrue();
        assertThat(rig.fetcher.openConnections()).isZero();
    }

    @Test
    void anAnswerFollowedAtOnceByACloseIsDelivered() {
        var body = new UploadedBody(100_000, false);
        var got = postStart(body);
        body.send("hello");
        rig.turn();

        rig.peer().say("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
        rig.peer().close();
        rig.turn();
        body.send("more");
        rig.turn();

        assertThat(got.events).containsExactly("head 413", "data big", "end");
        assertThat(body.isReleased()).isTrue();
    }

    @Test
    void anUploadGoesOnWhileTheResponseStreams() {
        var body = new UploadedBody(-1, false);
        var got = postStart(body);

        rig.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
        body.send("x");
        body.sink().end();
        rig.turn();
        rig.answer("0\r\n\r\n");

        assertThat(rig.peer().heard()).endsWith("1\r\nx\r\n0\r\n\r\n");
        assertThat(got.events).containsExactly("head 200", "data a", "end");
        assertThat(rig.fetcher.idleConnections()).isEqualTo(1);
    }

    @Test
    void theBodyWaitsFor100IfTheClientDoes() {
        var body = new UploadedBody(2, true);
        var got = post(body);
        var heard = rig.peer().heard();
        var askedEarly = body.wasAskedFor();

        rig.answer("HTTP/1.1 100 Continue\r\n\r\n");
        body.send("ok");
        body.sink().end();
        rig.turn();
        rig.answer(OK);

        assertThat(heard).endsWith("\r\nexpect: 100-continue\r\n\r\n");
        assertThat(askedEarly).isFalse();
        assertThat(got.events).containsExactly("head 200", "end");
    }

    @Test
    void anOriginThatNeverSays100GetsTheBodyAfterASecond() {
        var body = new UploadedBody(2, true);
        post(body);

        rig.pass(Duration.ofMillis(999));
        var before = body.wasAskedFor();
        rig.pass(Duration.ofMillis(1));

        assertThat(before).isFalse();
        assertThat(body.wasAskedFor()).isTrue();
    }

    @Test
    void aBodyThatTheOriginDoesNotWantIsNeverAskedFor() {
        var body = new UploadedBody(2, true);
        var got = post(body);

        rig.answer("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");

        assertThat(got.events).containsExactly("head 401", "end");
        assertThat(body.wasAskedFor()).isFalse();
        assertThat(rig.peer().isClosed()).isTrue();
    }

    @Test
    void aSlowOriginPausesTheClientAndThenTimesOut() {
        var body = new UploadedBody(-1, false);
        var got = postStart(body);
        var channel = rig.channels.getLast();
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));

        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        rig.turn();
        var flowing = body.isFlowing();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        rig.turn();
        var flowingAgain = body.isFlowing();
        rig.pass(Rig.BETWEEN_BYTES.plusSeconds(30));
        var slowClient = got.events.size();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        rig.turn();
        rig.pass(Rig.BETWEEN_BYTES);

        assertThat(flowing).isFalse();
        assertThat(flowingAgain).isTrue();
        assertThat(slowClient).isZero();
        assertThat(got.events).containsExactly("failed ORIGIN TIMEOUT");
    }

    @ParameterizedTest
    @CsvSource({"STALLS, 0", "WAITS_FOR_THE_ORIGIN, 1", "IS_DONE, 1"})
    void anOriginThatClosesIsNotAtFaultWhileTheClientStalls(Client client, int opened) {
        for (int i = 0; i < 5; i++) {
            var body = new UploadedBody(-1, false);
            rig.fetch(Rig.request("POST", "/vote/" + i, body));
            body.send("-".repeat(HeldUpload.START_BYTES));
            rig.turn();
            switch (client) {
                case STALLS -> {}
                case WAITS_FOR_THE_ORIGIN ->
                        rig.channels
                                .getLast()
                                .unsafe()
                                .outboundBuffer()
                                .setUserDefinedWritability(1, false);
                case IS_DONE -> body.sink().end();
            }
            rig.turn();
            rig.peer().close();
            rig.turn();
        }

        assertThat(rig.ejections).isEqualTo(opened);
    }

    enum Client {
        STALLS,
        WAITS_FOR_THE_ORIGIN,
        IS_DONE
    }

    @Test
    void anErrorWhileTheClientStallsIsNotTheServers() {
        try (var two = new Rig(new Rig.Limits().servers(2))) {
            for (int i = 0; i < 20; i++) {
                var body = new UploadedBody(-1, false);
                two.fetch(Rig.request("POST", "/vote/" + i, body));
                body.send("-".repeat(HeldUpload.START_BYTES));
                two.turn();
                two.answer("HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n");
            }

            assertThat(two.ejections).isZero();
        }
    }

    @Test
    void cancellingStopsTheUpload() {
        var body = new UploadedBody(-1, false);
        var got = postStart(body);
        body.send("hello");
        rig.turn();

        got.flow().cancel();
        body.send("more");
        body.sink().end();
        rig.turn();

        assertThat(body.isFlowing()).isFalse();
        assertThat(body.isReleased()).isTrue();
        assertThat(rig.peer().heard()).endsWith("5\r\nhello\r\n");
        assertThat(got.events).isEmpty();
    }

    @Test
    void aConnectionIsTakenOnceTheBodyHasBegun() {
        var body = new UploadedBody(100_000, false);
        post(body);
        body.send("-".repeat(HeldUpload.START_BYTES - 1));
        rig.turn();
        int before = rig.fetcher.openConnections();
        var held = rig.inTransit;

        body.send("-");
        var isReadingOn = body.isFlowing();
        rig.turn();

        assertThat(before).isZero();
        assertThat(held).isEqualTo(HeldUpload.START_BYTES - 1);
        assertThat(isReadingOn).isFalse();
        assertThat(rig.fetcher.openConnections()).isEqualTo(1);
        assertThat(rig.inTransit).isZero();
        assertThat(body.isFlowing()).isTrue();
        assertThat(rig.peer().heard()).hasSizeGreaterThan(HeldUpload.START_BYTES);
    }

    @Test
    void aBodyThatBreaksEarlyTakesNoConnection() {
        var body = new UploadedBody(100_000, false);
        var got = post(body);
        body.send("abc");

        body.sink().broken(new Failure(Side.CLIENT, Kind.TIMEOUT, "too slow"));
        rig.turn();

        assertThat(got.events).containsExactly("failed CLIENT TIMEOUT");
        assertThat(rig.channels).isEmpty();
        assertThat(body.isReleased()).isTrue();
    }

    @Test
    void uploadsHoldHalfOfTheConnectionsAndThenQueue() {
        var uploads = new ArrayList<UploadedBody>();
        var answers = new ArrayList<Recorder>();
        for (int i = 0; i < 5; i++) {
            var body = new UploadedBody(-1, i == 0);
            uploads.add(body);
            answers.add(rig.fetch(Rig.from(i, Rig.request("POST", "/vote", body))));
            if (i > 0) {
                body.send("-".repeat(HeldUpload.START_BYTES));
                rig.turn();
            }
        }
        int held = rig.fetcher.openConnections();
        var other = rig.fetch(Rig.get("/other"));
        rig.answer(OK);
        uploads.get(1).sink().end();
        rig.turn();
        int next = rig.fetcher.openConnections();

        // 8 connections; one is idle.
        assertThat(held).isEqualTo(4);
        assertThat(other.events).containsExactly("head 200", "end");
        assertThat(next).isEqualTo(5);
        assertThat(uploads.get(4).isFlowing()).isTrue();
        answers.forEach(each -> each.flow().cancel());
        rig.turn();
        assertThat(uploads).allMatch(UploadedBody::isReleased);
    }

    @Test
    void aQueuedUploadFailsAfterASecond() {
        for (int i = 0; i < 4; i++) {
            postStart(new UploadedBody(-1, false));
        }
        var body = new UploadedBody(-1, false);
        var got = postStart(body);

        rig.pass(Duration.ofSeconds(1));

        assertThat(got.events).containsExactly("failed PROXY OVERLOAD");
        assertThat(body.isReleased()).isTrue();
    }

    /** Its share of the connections becomes free, and all connections are in use then. */
    @Test
    void anUploadWaitsForItsShareAndAConnectionTogetherNoLonger() {
        var uploads = new ArrayList<UploadedBody>();
        for (int i = 0; i < 4; i++) {
            uploads.add(new UploadedBody(-1, false));
            rig.fetch(Rig.from(i, Rig.request("POST", "/vote", uploads.get(i))));
            uploads.get(i).send("-".repeat(HeldUpload.START_BYTES));
            rig.turn();
        }
        for (int i = 0; i < 4; i++) {
            rig.fetch(Rig.get("/slow/" + i));
        }
        var body = new UploadedBody(-1, false);
        var got = rig.fetch(Rig.from(5, Rig.request("POST", "/vote", body)));
        body.send("-".repeat(HeldUpload.START_BYTES));
        rig.turn();
        rig.pass(Duration.ofMillis(900));
        uploads.getFirst().sink().end();
        rig.turn();

        rig.pass(Duration.ofMillis(99));
        var before = List.copyOf(got.events);
        rig.pass(Duration.ofMillis(1));

        assertThat(before).isEmpty();
        assertThat(got.events).containsExactly("failed PROXY OVERLOAD");
    }

    @Test
    void oneClientLeavesPlacesForUploadsOfOthers() {
        var queued = new ArrayList<Recorder>();
        for (int i = 0; i < 20; i++) {
            queued.add(postStart(new UploadedBody(-1, false)));
        }
        int ofOne = rig.fetcher.openConnections();

        var body = new UploadedBody(-1, false);
        rig.fetch(Rig.from(1, Rig.request("POST", "/vote", body)));
        body.send("-".repeat(HeldUpload.START_BYTES));
        rig.turn();
        int ofTwo = rig.fetcher.openConnections();
        var late = new UploadedBody(-1, false);
        var waiting = rig.fetch(Rig.from(2, Rig.request("POST", "/vote", late)));
        late.send("-".repeat(HeldUpload.START_BYTES));
        rig.turn();
        body.sink().end();
        rig.turn();

        // 8 connections, of which 4 for uploads; the queue has 8 places.
        assertThat(ofOne).isEqualTo(3);
        assertThat(ofTwo).isEqualTo(4);
        assertThat(queued).filteredOn(each -> !each.events.isEmpty()).hasSize(11);
        assertThat(waiting.events).isEmpty();
        assertThat(rig.peer().heard()).startsWith("POST /vote HTTP/1.1");
        assertThat(rig.fetcher.openConnections()).isEqualTo(5);
        rig.pass(Duration.ofSeconds(1));
        assertThat(waiting.events).isEmpty();
        assertThat(late.isFlowing()).isTrue();
        waiting.flow().cancel();
    }

    @Test
    void aWholeSmallBodyIsNoUploadInProgress() {
        for (int i = 0; i < 4; i++) {
            postStart(new UploadedBody(-1, false));
        }
        var body = new UploadedBody(2, false);
        post(body);
        body.send("ok");
        body.sink().end();
        rig.turn();

        assertThat(rig.peer().heard()).endsWith("\r\n\r\nok");
    }

    @Test
    void aBodyIsNotAskedForWhileTooMuchIsInTransit() {
        var body = new UploadedBody(2, false);
        rig.isTransitFull = true;
        post(body);
        rig.pass(Duration.ofSeconds(1));
        var before = body.wasAskedFor();
        rig.isTransitFull = false;
        rig.pass(Duration.ofSeconds(1));
        body.send("ok");
        body.sink().end();
        rig.turn();

        assertThat(before).isFalse();
        assertThat(rig.peer().heard()).endsWith("\r\n\r\nok");
    }

    @Test
    void nothingIsReadWhileTooMuchIsInTransit() {
        var body = new UploadedBody(-1, false);
        var got = post(body);
        rig.isTransitFull = true;
        body.send("abc");
        var isReading = body.isFlowing();
        rig.pass(Duration.ofSeconds(1));
        var isStillReading = body.isFlowing();
        rig.isTransitFull = false;
        rig.pass(Duration.ofSeconds(1));
        var isReadingAgain = body.isFlowing();
        rig.isTransitFull = true;
        body.send("abc");
        rig.pass(HeldUpload.MAX_FULL.plusSeconds(1));

        assertThat(isReading).isFalse();
        assertThat(isStillReading).isFalse();
        assertThat(isReadingAgain).isTrue();
        assertThat(got.events).containsExactly("failed PROXY OVERLOAD");
        assertThat(body.isReleased()).isTrue();
    }
}
