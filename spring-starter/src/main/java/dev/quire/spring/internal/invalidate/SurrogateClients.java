package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.SurrogateClient;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The clients of the surrogates in the connection details.
 *
 * @param clients one per surrogate
 * @param requests their HTTP client, if any
 */
public record SurrogateClients(List<SurrogateClient> clients, Optional<AdminRequests> requests)
        implements AutoCloseable {

    public SurrogateClients {
        clients = List.copyOf(clients);
    }

    /**
     * Creates the clients.
     *
     * @param ack how far invalidations must come in a fleet of Quire surrogates; null for the
     *     default of those
     * @throws IllegalArgumentException if the details are not valid
     */
    public static SurrogateClients of(
            SurrogateConnectionDetails details,
            Duration timeout,
            InvalidationProperties.@Nullable Ack ack) {
        SurrogateProperties.check(
                details.urls(), details.type(), details.token(), "quire.surrogate");
        if (details.urls().isEmpty() || details.type() == SurrogateConnectionDetails.Type.NONE) {
            return new SurrogateClients(List.of(), Optional.empty());
        }
        var requests = new AdminRequests(timeout);
        return new SurrogateClients(
                details.urls().stream().map(url -> client(details, url, requests, ack)).toList(),
                Optional.of(requests));
    }

    @Override
    public void close() {
        requests.ifPresent(AdminRequests::close);
    }

    private static SurrogateClient client(
            SurrogateConnectionDetails details,
            URI url,
            AdminRequests requests,
            InvalidationProperties.@Nullable Ack ack) {
        return switch (details.type()) {
            case QUIRE -> new QuireClient(requests, url, details.token(), ack);
            case VARNISH -> new VarnishClient(requests, url, details.token());
            case FASTLY -> new FastlyClient(requests, url, details.token());
            case NONE -> throw new IllegalStateException("expected a product, found none");
        };
    }
}
