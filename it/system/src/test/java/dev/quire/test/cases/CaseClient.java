package dev.quire.test.cases;

import dev.quire.test.wire.Content;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Response;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.zip.GZIPInputStream;

/** The client of a case, which checks every byte. */
final class CaseClient {
    private CaseClient() {}

    /**
     * Sends a request on a new connection, and waits until the connection has ended.
     *
     * @throws AssertionError if the response's framing is invalid, or bytes follow it
     */
    static Response ask(InetSocketAddress address, ClientRequest request) {
        try (var wire = HttpWire.to(address)) {
            if (request.announcesBody()) {
                wire.request(request.method(), request.target(), new byte[0], request.lines());
            } else {
                wire.request(request.method(), request.target(), request.lines());
            }
            var response = wire.response();
            if (response.keepAlive()) {
                wire.halfClose();
            }
            wire.awaitClosed();
            return response;
        }
    }

    /**
     * The body of {@code response} with its content coding removed.
     *
     * @throws AssertionError if it is not encoded as its head declares
     */
    static Content decoded(Response response) {
        var codings = String.join(", ", response.fields().all("Content-Encoding"));
        if (codings.isEmpty() || response.body().length() == 0) {
            return response.body();
        }
        if (!codings.equalsIgnoreCase("gzip")) {
            throw new AssertionError(
                    "expected gzip or no coding, found Content-Encoding: " + codings);
        }
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(response.body().bytes()))) {
            return Content.of(plain.readAllBytes());
        } catch (IOException e) {
            throw new AssertionError("expected a body in gzip, but " + e, e);
        }
    }
}
