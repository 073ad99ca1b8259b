package dev.quire.proxy;

import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.cli.PortProbe;
import dev.quire.proxy.config.ClientAddress;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Listen;
import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.listen.Listener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The ports for clients. Used by one thread at a time. */
final class ClientPorts {
    private final Listener listener;
    private Map<Place, Open> open = Map.of();

    ClientPorts(Listener listener) {
        this.listener = listener;
    }

    /**
     * Identifies a socket. All other settings of an address change without a new one.
     *
     * @param key with {@code isTls} tells addresses with port 0 apart; empty for others
     */
    private record Place(ListenAddress address, String key, boolean isTls) {
        static Place of(ClientAddress client) {
            boolean isFree = client.address() instanceof HostPort host && host.port() == 0;
            return new Place(
                    client.address(), isFree ? client.key() : "", isFree && client.isTls());
        }
    }

    private record Open(ClientAddress client, Listener.Port port) {}

    /** New ports beside the present ones; one of the two methods is called, once. */
    final class Change {
        private final Map<Place, Open> next;

        private Change(Map<Place, Open> next) {
            this.next = next;
        }

        /** Uses the new ports, and drains those that they replace. */
        void commit() {
            var before = open;
            open = next;
            next.values().forEach(each -> each.port().use(each.client()));
            drainMissing(before, next);
        }

        /** Closes the new ports. */
        void discard() {
            drainMissing(next, open);
        }

        private static void drainMissing(Map<Place, Open> ports, Map<Place, Open> kept) {
            ports.forEach((place, each) -> {
                if (!kept.containsKey(place)) {
                    each.port().drain();
                }
            });
        }
    }

    /**
     * Opens the ports of {@code next} that are not open yet. A port with the same address stays.
     * New ones, with the sockets that {@code from} has, accept nothing until {@link
     * #beginAccepting}.
     *
     * @throws CannotStart if one cannot be bound; then none of the new ones is open
     */
    Change open(Listen next, @Nullable Takeover from) throws CannotStart {
        var ports = new LinkedHashMap<Place, Open>();
        var change = new Change(ports);
        try {
            for (var address : next.addresses()) {
                var present = open.get(Place.of(address));
                var port = present == null ? opened(address, from) : present.port();
                ports.put(Place.of(address), new Open(address, port));
            }
        } catch (CannotStart | RuntimeException | Error cannotListen) {
            change.discard();
            throw cannotListen;
        }
        return change;
    }

    private Listener.Port opened(ClientAddress client, @Nullable Takeover from) throws CannotStart {
        var inherited =
                from == null
                        ? Optional.<ListeningSockets>empty()
                        : from.take(ListeningSockets.Role.CLIENTS, client.address());
        try {
            return inherited.isPresent()
                    ? listener.adopt(inherited.get(), client)
                    : listener.listen(client);
        } catch (IOException cannotListen) {
            throw new CannotStart(
                    List.of(PortProbe.because(client.key(), client.address(), cannotListen)));
        }
    }

    /** Accepts connections from now on. */
    void beginAccepting() {
        open.values().forEach(each -> each.port().beginAccepting());
    }

    /** The addresses with the actual ports, in the order of the configuration. */
    List<ListenAddresses.Client> addresses() {
        var addresses = new ArrayList<ListenAddresses.Client>();
        open.values()
                .forEach(each ->
                        addresses.add(
                                new ListenAddresses.Client(each.client(), each.port().address())));
        return addresses;
    }

    /** The sockets of the ports that are open. */
    List<ListeningSockets> sockets() {
        var sockets = new ArrayList<ListeningSockets>();
        open.values().forEach(each -> sockets.add(each.port().sockets()));
        return sockets;
    }
}
