package dev.quire.test.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.core.http.FieldSyntax;
import dev.quire.test.wire.internal.Watch;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One connection to the origin. One virtual thread reads requests while another answers them in
 * order, so that a disconnect is noticed while an answer is held.
 */
final class AcceptedConnection {
    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(US_ASCII);

    private final Origin origin;
    private final Watch watch;
    private final Socket socket;
    private final int number;
    private final Queue<ReceivedRequest> unanswered = new ArrayDeque<>();
    private boolean ended;
    private boolean saidGoodbye;

    AcceptedConnection(Origin origin, Socket socket, int number) {
        this.origin = origin;
        this.watch = origin.watch();
        this.socket = socket;
        this.number = number;
    }

    void start() {
        Thread.ofVirtual().name("origin-read-" + number).start(this::read);
        Thread.ofVirtual().name("origin-answer-" + number).start(this::answer);
    }

    /** Whether every request on it has its answer. Called with the watch's lock held. */
    boolean isQuiet() {
        return ended || unanswered.isEmpty();
    }

    /**
     * Resets it. The reader, which finds the end of its input, closes the socket: while a virtual
     * thread waits for input, the kernel may keep a socket open that another thread has closed.
     */
    void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.shutdownInput();
        } catch (IOException e) {
            // The peer has already closed it; there is nothing to reset.
            close();
        }
    }

    /** Closes it without having started. */
    void discard() {
        close();
    }

    private void read() {
        try {
            var in = socket.getInputStream();
            var wire = new WireReader(in::read);
            while (!wire.isAtEnd()) {
                if (watch.read(() -> saidGoodbye)) {
                    wire.some(Long.MAX_VALUE);
                } else {
                    readRequest(wire);
                }
            }
        } catch (WireFault fault) {
            origin.met(
                    "on connection " + number + " a malformed HTTP request: " + fault.getMessage());
        } catch (IOException e) {
            // The peer may disconnect at any point; the recorded request shows how much arrived.
        } finally {
            watch.change(() -> {
                ended = true;
                unanswered.forEach(ReceivedRequest::abandoned);
            });
            close();
            origin.ended(this);
        }
    }

    private void readRequest(WireReader wire) throws IOException {
        var line = wire.line();
        var words = line.split(" ", -1);
        if (words.length != 3
                || !FieldSyntax.isToken(words[0])
                || !(words[1].startsWith("/") || words[1].equals("*"))
                || !words[2].matches("HTTP/1\\.[01]")) {
            throw new WireFault("METHOD /target HTTP/1.1", line);
        }
        var fields = wire.fields();
        if (fields.all("Host").size() != 1) {
            throw new WireFault("one Host", fields.all("Host").toString());
        }
        var body = BodyReader.ofRequest(wire, fields);
        var request =
                watch.read(() -> {
                    var received =
                            origin.received(order ->
                                    new ReceivedRequest(
                                            watch, words[0], words[1], words[2], fields, number,
                                            order));
                    unanswered.add(received);
                    return received;
                });
        try {
            for (var piece = body.next(); piece != null; piece = body.next()) {
                request.arrived(piece);
            }
            request.whole();
        } catch (IOException e) {
            request.broken();
            throw e;
        }
    }

    private void answer() {
        try {
            boolean open = true;
            while (open) {
                var request = nextUnanswered();
                open = request != null && answer(request);
            }
        } catch (IOException e) {
            // The client has disconnected; the reader notices that as well.
            close();
        }
    }

    /** Answers {@code request}. Returns whether the connection can carry another answer. */
    private boolean answer(ReceivedRequest request) throws IOException {
        var answer = answerFor(request);
        if (answer == null) {
            return false;
        }
        origin.pause(request, answer.delay());
        var holds = origin.holdsFor(request);
        answer.write(socket.getOutputStream(), request, holds, origin.clock());
        var ending = request.keepsAlive() ? answer.ending() : closing(answer.ending());
        watch.change(() -> {
            unanswered.remove();
            saidGoodbye = ending != Answer.Ending.KEEP;
        });
        switch (ending) {
            case KEEP -> {}
            // Read until the peer closes too: closing with unread bytes would reset the connection
            // and might discard the answer.
            case CLOSE -> socket.shutdownOutput();
            case RESET -> reset();
        }
        return ending == Answer.Ending.KEEP;
    }

    private static Answer.Ending closing(Answer.Ending ending) {
        return ending == Answer.Ending.KEEP ? Answer.Ending.CLOSE : ending;
    }

    private @Nullable ReceivedRequest nextUnanswered() {
        watch.awaitChange(() -> ended || !unanswered.isEmpty());
        return watch.read(() -> ended ? null : unanswered.peek());
    }

    /** Waits until the answer may be sent and returns it, or null if the request is incomplete. */
    private @Nullable Answer answerFor(ReceivedRequest request) throws IOException {
        var line = origin.lineFor(request);
        if (line.early() != null) {
            return line.early();
        }
        if (request.expectsContinue()) {
            socket.getOutputStream().write(CONTINUE);
        }
        if (!request.bodyCame()) {
            return null;
        }
        try {
            return line.answer().apply(request);
        } catch (RuntimeException | AssertionError e) {
            // An error in the test's script is reported by the answer, and by the origin on close.
            origin.met("a failed script for " + request + ": " + e);
            return Answer.status(500).field("Content-Type", "text/plain").body("script: " + e);
        }
    }

    private void close() {
        try {
            socket.close();
        } catch (IOException e) {
            origin.met("a connection that cannot be closed: " + e);
        }
    }

    @Override
    public String toString() {
        return "connection " + number;
    }
}
