package dev.quire.proxy.cli;

import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.ListenAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;

/** The addresses on which a proxy listens, with the actual ports. */
public record ListenAddresses(
        List<Client> clients, InetSocketAddress admin, Optional<InetSocketAddress> probes) {

    /** An address for clients. */
    public record Client(ClientAddress configured, SocketAddress bound) {

        /** The configured address with the actual port. */
        public ListenAddress shown() {
            return configured.address() instanceof HostPort address
                            && bound instanceof InetSocketAddress inet
                    ? new HostPort(address.host(), inet.getPort())
                    : configured.address();
        }
    }

    public ListenAddresses {
        clients = List.copyOf(clients);
    }

    /**
     * The address for clients without TLS.
     *
     * @throws NoSuchElementException if it is off
     */
    public InetSocketAddress http() {
        return named(ClientAddress.HTTP);
    }

    /**
     * The address for clients with TLS.
     *
     * @throws NoSuchElementException if it is off
     */
    public InetSocketAddress https() {
        return named(ClientAddress.HTTPS);
    }

    private InetSocketAddress named(String key) {
        return clients.stream()
                .filter(each -> each.configured().key().equals(key))
                .map(Client::bound)
                .map(InetSocketAddress.class::cast)
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no address " + key));
    }
}
