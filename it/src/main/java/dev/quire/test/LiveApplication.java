package dev.quire.test;

import dev.quire.core.http.Fields;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;

/** An application asked over connections of its own, one for each request. */
final class LiveApplication implements Application {
    /** They speak of one connection, or say where its messages end (RFC 9110 §7.6.1). */
    private static final Set<String> OF_CONNECTIONS =
            Set.of("connection", "keep-alive", "transfer-encoding", "te", "upgrade", "trailer");

    private final InetSocketAddress address;
    private final String authority;

    LiveApplication(URI url) {
        if (!"http".equals(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException(
                    "cannot ask an application at '"
                            + url
                            + "' (expected http://HOST:PORT, for example of @LocalServerPort)");
        }
        int port = url.getPort() < 0 ? 80 : url.getPort();
        this.address = new InetSocketAddress(url.getHost(), port);
        this.authority = url.getAuthority();
    }

    @Override
    public String authority() {
        return authority;
    }

    @Override
    public Reply answer(Request request) {
        try (var wire = HttpWire.to(address)) {
            var fields = namesAndValues(request.fields());
            if (request.body().length() == 0) {
                wire.request(request.method(), request.target(), fields);
            } else {
                wire.request(request.method(), request.target(), request.body().bytes(), fields);
            }
            var response = wire.response();
            return new Reply.Whole(
                    new Response(
                            response.version(),
                            response.status(),
                            response.fields().without(LiveApplication::isOfConnection),
                            response.body(),
                            response.interims(),
                            true));
        } catch (UncheckedIOException | AssertionError broken) {
            return new Reply.None(String.valueOf(broken.getMessage()));
        }
    }

    /** Each request has its connection. */
    private static String[] namesAndValues(Fields fields) {
        var lines = new ArrayList<String>();
        fields.without(name -> isOfConnection(name) || name.equalsIgnoreCase("content-length"))
                .forEach((name, value) -> {
                    lines.add(name);
                    lines.add(value);
                });
        lines.add("Connection");
        lines.add("close");
        return lines.toArray(String[]::new);
    }

    private static boolean isOfConnection(String name) {
        return OF_CONNECTIONS.contains(name.toLowerCase(Locale.ROOT));
    }
}
