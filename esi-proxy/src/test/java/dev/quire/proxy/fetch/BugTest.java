package dev.quire.proxy.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.exchange.RequestBody;
import io.netty.channel.EventLoop;
import java.io.PrintStream;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Internal errors in tasks and timers that the loop calls directly. */
class BugTest {

    @Test
    void aBugBeforeThereIsAConnectionFailsTheFetch() {
        Addresses broken =
                (loop, answer) -> {
                    throw new IllegalStateException("expected no such thing");
                };
        try (var rig = new Rig(new Rig.Limits(), broken)) {
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(got.failure().detail()).contains("expected no such thing");
            assertThat(rig.fetcher.openConnections()).isZero();
            assertThat(rig.fetcher.servers().getFirst().requests()).isZero();
        }
    }

    @Test
    void aBugWhenTheConnectionStandsFailsTheFetch() {
        var known = new SocketAddress[1];
        Addresses broken =
                new Addresses() {
                    @Override
                    public void find(EventLoop loop, Answer answer) {
                        answer.found(List.of(known));
                    }

                    @Override
                    public void worked(SocketAddress address) {
                        throw new IllegalStateException("expected no such thing");
                    }
                };
        try (var rig = new Rig(new Rig.Limits(), broken)) {
            known[0] = rig.address();
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(rig.channels).hasSize(1).noneMatch(channel -> channel.isOpen());
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    /** An address that fails when it is connected, and a connection that cannot be closed then. */
    @Test
    void anErrorWhileAConnectionIsGivenUpFailsTheFetch() {
        var known = new SocketAddress[1];
        Addresses broken =
                new Addresses() {
                    @Override
                    public void find(EventLoop loop, Answer answer) {
                        answer.found(List.of(known));
                    }

                    @Override
                    public void worked(SocketAddress address) {
                        throw new IllegalStateException("expected no such thing");
                    }
                };
        try (var rig = new Rig(new Rig.Limits(), broken)) {
            known[0] = rig.address();
            failAtClose(rig);
            var got = rig.fetch(Rig.get("/"));

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(got.failure().detail()).contains("expected no such thing");
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    /** The channel that cannot be closed stays open. */
    private static void failAtClose(Rig rig) {
        rig.atClose =
                () -> {
                    rig.atClose = () -> {};
                    throw new OutOfMemoryError("expected no more memory");
                };
    }

    @Test
    void anErrorAtTheEndOfAnAttemptFailsTheFetchAndReleasesItsPermit() {
        try (var rig = new Rig(new Rig.Limits().connections(1), Addresses.only(Rig.ABYSS))) {
            failAtClose(rig);
            var got = rig.fetch(Rig.get("/"));
            rig.pass(Rig.CONNECT);

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    /** A body that fails when it is started by a timer. */
    private record BrokenBody(RuntimeException fault) implements RequestBody {
        @Override
        public long length() {
            return 5;
        }

        @Override
        public boolean expectsContinue() {
            return true;
        }

        @Override
        public void flowTo(Sink sink) {
            throw fault;
        }

        @Override
        public void pause() {}

        @Override
        public void resume() {}
    }

    /** The connection is in use by another request by then. */
    @Test
    void anErrorAtTheEndOfTheResponseIsReportedToItsSinkAlone() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            var got =
                    new Recorder() {
                        @Override
                        public void end() {
                            throw new OutOfMemoryError("expected no more memory");
                        }
                    };
            rig.fetch(Rig.get("/"), rig.loop, got);
            var next = rig.fetch(Rig.get("/next"));

            rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext");

            assertThat(got.events).containsExactly("head 200", "data ok", "failed PROXY BUG");
            assertThat(next.events).containsExactly("head 200", "data next", "end");
        }
    }

    /** Of a failure, and of a whole response. */
    @Test
    void aBugInACountLeavesNoSinkWithoutAnEnd() {
        try (var rig = new Rig(new Rig.Limits().retries(0))) {
            rig.isCountBroken = true;
            var failed = rig.fetch(Rig.get("/"));
            rig.pass(Rig.FIRST_BYTE);
            var whole = rig.fetch(Rig.get("/"));
            rig.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");

            assertThat(failed.events).containsExactly("failed ORIGIN TIMEOUT");
            assertThat(whole.events).containsExactly("head 200", "data ok", "failed PROXY BUG");
        }
    }

    @Test
    void aBugInATimerFailsTheFetch() {
        try (var rig = new Rig()) {
            var body = new BrokenBody(new IllegalStateException("expected no such thing"));
            var got = rig.fetch(Rig.request("POST", "/", body));

            rig.pass(Duration.ofSeconds(1));

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(rig.peer().isClosed()).isTrue();
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }

    @Test
    void aSocketThatCannotBeOpenedIsAnUnreachableServerOnTheLoopOfTheFetch() {
        try (var rig = new Rig(new Rig.Limits().connections(1).retries(1))) {
            rig.unopened = 2;
            var threads = new HashSet<Thread>();
            var got =
                    new Recorder() {
                        @Override
                        public void sentTo(String url) {
                            threads.add(Thread.currentThread());
                        }
                    };
            rig.fetch(Rig.get("/"), rig.loop, got);
            rig.turnWithoutSockets();
            rig.turnWithoutSockets();

            assertThat(got.events).containsExactly("failed ORIGIN UNREACHABLE");
            assertThat(got.failure().detail()).contains("too many open files");
            assertThat(threads).containsExactly(Thread.currentThread());
            assertThat(rig.retries).isEqualTo(1);
            assertThat(rig.fetcher.openConnections()).isZero();
            rig.exchange();
        }
    }

    @Test
    void aConnectionOfARequestThatCannotBeSentIsClosed() {
        try (var rig = new Rig(new Rig.Limits().connections(1))) {
            var got =
                    new Recorder() {
                        @Override
                        public void sending() {
                            throw new OutOfMemoryError("expected no more memory");
                        }
                    };
            rig.fetch(Rig.get("/"), rig.loop, got);

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(rig.channels).hasSize(1).noneMatch(channel -> channel.isOpen());
            assertThat(rig.fetcher.openConnections()).isZero();
            rig.exchange();
        }
    }

    /** A fault whose report fails. */
    private static final class Unreportable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreportable() {
            super("unreportable");
        }

        @Override
        public void printStackTrace(PrintStream log) {
            throw new OutOfMemoryError("expected no more memory");
        }
    }

    @Test
    void aBugThatCannotBeReportedFailsTheFetch() {
        try (var rig = new Rig()) {
            var body = new BrokenBody(new Unreportable());
            var got = rig.fetch(Rig.request("POST", "/", body));

            rig.pass(Duration.ofSeconds(1));

            assertThat(got.events).containsExactly("failed PROXY BUG");
            assertThat(got.failure().detail()).contains("unreportable");
            assertThat(rig.peer().isClosed()).isTrue();
            assertThat(rig.fetcher.openConnections()).isZero();
        }
    }
}
