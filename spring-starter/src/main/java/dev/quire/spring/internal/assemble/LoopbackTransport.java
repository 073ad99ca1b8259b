package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Fetches one fragment over HTTP, on a new connection, so that the request's bytes are exactly
 * those of a surrogate. One thread fetches; any other may cancel.
 */
final class LoopbackTransport implements FragmentTransport {

    private final Loopback loopback;
    private final LoopbackPage page;
    private @Nullable Socket connection;
    private boolean cancelled;

    LoopbackTransport(Loopback loopback, LoopbackPage page) {
        this.loopback = loopback;
        this.page = page;
    }

    @Override
    public Fetched ask(FragmentCall call) {
        var target = call.key().target();
        var address = loopback.address();
        if (address == null) {
            return failed(Side.PROXY, Kind.UNREACHABLE, target + ": the server has stopped");
        }
        long end = System.nanoTime() + call.timeout().toNanos();
        var word = loopback.expect(page);
        try (var socket = new Socket()) {
            if (!begin(socket)) {
                return failed(Side.CLIENT, Kind.UNREACHABLE, target + " was cancelled");
            }
            socket.connect(address, (int) Math.max(1, call.timeout().toMillis()));
            socket.setTcpNoDelay(true);
            var out = socket.getOutputStream();
            out.write(head(call, word).getBytes(StandardCharsets.ISO_8859_1));
            out.write(call.bytes());
            out.flush();
            return new LoopbackResponse(socket, end, page.allowance())
                    .read(call.key(), call.method());
        } catch (SocketTimeoutException late) {
            return new Fetched.Failed(call.late());
        } catch (IOException broken) {
            return failed(Side.ORIGIN, Kind.TRUNCATED, target + ": " + broken.getMessage());
        } finally {
            loopback.forget(word);
        }
    }

    /** Returns whether {@code socket} may be used; from then on another thread may close it. */
    private synchronized boolean begin(Socket socket) {
        connection = socket;
        return !cancelled;
    }

    synchronized void cancel() {
        cancelled = true;
        if (connection != null) {
            try {
                connection.close();
            } catch (IOException gone) {
                // closing was the intent
            }
        }
    }

    private String head(FragmentCall call, String word) {
        var fields = new FragmentFields(page.fields(), call);
        var head = new StringBuilder();
        head.append(call.method()).append(' ').append(call.key().target());
        head.append(" HTTP/1.1\r\n");
        if (fields.first("Host") == null) {
            line(head, "Host", page.serverName() + ":" + page.serverPort());
        }
        for (var name : fields.names()) {
            for (var value : fields.all(name)) {
                line(head, name, value);
            }
        }
        line(head, Loopback.FIELD, word);
        line(head, "Connection", "close");
        return head.append("\r\n").toString();
    }

    private static void line(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static Fetched failed(Side side, Kind kind, String detail) {
        return new Fetched.Failed(new Failure(side, kind, detail));
    }
}
