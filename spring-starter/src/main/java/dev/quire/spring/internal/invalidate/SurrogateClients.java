package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.SurrogateClient;
import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
     * @throws IllegalArgumentException if the details are not valid
     */
    public static SurrogateClients of(SurrogateConnectionDetails details, Duration timeout) {
        SurrogateProperties.check(
                details.urls(), details.type(), details.token(), "quire.surrogate");
        if (details.urls().isEmpty() || details.type() == SurrogateConnectionDetails.Type.NONE) {
            return new SurrogateClients(List.of(), Optional.empty());
        }
        var requests = new AdminRequests(timeout);
        return new SurrogateClients(
                details.urls().stream().map(url -> client(details, url, requests)).toList(),
                Optional.of(requests));
    }

    @Override
    public void close() {
        requests.ifPresent(AdminRequests::close);
    }

    private static SurrogateClient client(
            SurrogateConnectionDetails details, URI url, AdminRequests requests) {
        return switch (details.type()) {
            case QUIRE -> new QuireClient(requests, url, details.token());
            case VARNISH -> new VarnishClient(requests, url, details.token());
            case FASTLY -> new FastlyClient(requests, url, details.token());
            case NONE -> throw new IllegalStateException("expected a product, found none");
        };
    }
}
