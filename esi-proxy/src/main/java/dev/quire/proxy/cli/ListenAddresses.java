package dev.quire.proxy.cli;

import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.HostPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The addresses on which a proxy listens, with the actual ports. */
public record ListenAddresses(
        List<Client> clients, InetSocketAddress admin, Optional<InetSocketAddress> probes) {

    /** An address for clients. */
    public record Client(ClientAddress configured, InetSocketAddress bound) {

        /** The configured host with the actual port. */
        public HostPort shown() {
            return new HostPort(configured.address().host(), bound.getPort());
        }
    }

    public ListenAddresses {
        clients = List.copyOf(clients);
    }

    /**
     * The address for clients without TLS.
     *
     * @throws NoSuchElementException if there is none
     */
    public InetSocketAddress http() {
        return named(ClientAddress.HTTP);
    }

    /**
     * The address for clients with TLS.
     *
     * @throws NoSuchElementException if there is none
     */
    public InetSocketAddress https() {
        return named(ClientAddress.HTTPS);
    }

    private InetSocketAddress named(String key) {
        return clients.stream()
                .filter(each -> each.configured().key().equals(key))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no address " + key))
                .bound();
    }
}
