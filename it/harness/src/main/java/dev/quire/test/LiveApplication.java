package dev.quire.test;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.http.Fields;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Request;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** An application called over real connections, a new one for each request. */
final class LiveApplication implements Application {
    private final URI url;
    private final InetSocketAddress address;
    private final @Nullable IntFunction<Optional<Assembly>> reports;
    private final Runnable atItsEnd;

    /**
     * @param reports the parts of its pages by port; null if it does not report them
     * @param atItsEnd stops the server, if it belongs to the site
     */
    LiveApplication(URI url, @Nullable IntFunction<Optional<Assembly>> reports, Runnable atItsEnd) {
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "cannot ask an application at '%s' (expected http://HOST:PORT, for example of @LocalServerPort)"
                            .formatted(url));
        }
        int port = url.getPort() < 0 ? 80 : url.getPort();
        this.url = url;
        this.address = new InetSocketAddress(url.getHost(), port);
        this.reports = reports;
        this.atItsEnd = atItsEnd;
    }

    @Override
    public String authority() {
        return url.getRawAuthority();
    }

    @Override
    public Reply answer(Request request) {
        try (var wire = connect()) {
            return reply(wire, request);
        }
    }

    @Override
    public Told tell(Request request) {
        var reported = reports;
        if (reported == null) {
            return new Told(answer(request), Optional.empty());
        }
        try (var wire = connect()) {
            // Removes the report of an earlier request from this port.
            var ignored = reported.apply(wire.localPort());
            var reply = reply(wire, request);
            // The report precedes the response; a page without fragments has none.
            return new Told(
                    reply,
                    reported.apply(wire.localPort())
                            .or(() -> Optional.of(pageOnly(request, reply))));
        }
    }

    @Override
    public void close() {
        atItsEnd.run();
    }

    private HttpWire connect() {
        try {
            return HttpWire.to(address);
        } catch (UncheckedIOException e) {
            throw new AssertionError(
                    switch (e.getCause()) {
                        case ConnectException refused ->
                                "nothing listens at %s: start the application and check its port (expected http://HOST:PORT of a running application, for example of @LocalServerPort)"
                                        .formatted(url);
                        case UnknownHostException unknown ->
                                "unknown host %s (expected the host of %s to resolve)"
                                        .formatted(url.getHost(), url);
                        case null, default ->
                                "cannot connect to %s: %s".formatted(url, e.getCause());
                    },
                    e);
        }
    }

    private static Reply reply(HttpWire wire, Request request) {
        try {
            var response = wire.request(request, "Connection", "close").response();
            var fields =
                    response.fields()
                            .without(name ->
                                    Request.isOfConnection(name)
                                            && !name.equalsIgnoreCase("content-length"));
            return new Reply.Whole(response.with(fields, response.body()));
        } catch (UncheckedIOException | AssertionError broken) {
            return new Reply.None(String.valueOf(broken.getMessage()));
        }
    }

    private Assembly pageOnly(Request request, Reply reply) {
        return new Assembly(
                0,
                List.of(
                        new Assembly.Part(
                                KnownReplies.keyOf(authority(), request.target()),
                                null,
                                0,
                                Assembly.CacheOutcome.PASS,
                                reply.status(),
                                null,
                                reply instanceof Reply.Whole(var response)
                                        ? response.fields()
                                        : Fields.EMPTY,
                                Optional.empty(),
                                0,
                                0)));
    }
}
