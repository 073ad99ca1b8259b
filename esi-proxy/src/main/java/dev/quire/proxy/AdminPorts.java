package dev.quire.proxy;

import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.AdminServer;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.PortProbe;
import dev.quire.proxy.config.Admin;
import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.config.Token;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.ListeningSockets.Role;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The admin port, and the port of the probes. Used by one thread at a time. */
final class AdminPorts {
    private final Transport transport;
    private final AdminActions actions;
    private @Nullable Open admin;
    private @Nullable Open probes;

    /** A port whose socket is open. */
    private record Open(HostPort configured, AdminServer server, InetSocketAddress address) {

        /** Whether {@code other} cannot be bound as long as this port is open. */
        boolean isInTheWayOf(HostPort other) {
            var wanted = other.resolved().getAddress();
            return address.getPort() == other.port()
                    && (address.getAddress().isAnyLocalAddress()
                            || address.getAddress().equals(wanted)
                            || (wanted != null && wanted.isAnyLocalAddress()));
        }

        /** Closes the port once its requests are answered; one of them may have asked for it. */
        void drain() {
            server.stopListening();
            Thread.ofVirtual()
                    .name("quire-admin-drain")
                    .start(() -> {
                        try {
                            server.drainAndClose();
                        } catch (InterruptedException hurried) {
                            Thread.currentThread().interrupt();
                        }
                    });
        }
    }

    AdminPorts(Transport transport, AdminActions actions) {
        this.transport = transport;
        this.actions = actions;
    }

    /** New ports beside the present ones; one of the two methods is called, once. */
    final class Change {
        private final Open nextAdmin;
        private final Optional<Token> token;
        private final @Nullable Open nextProbes;

        private Change(Open nextAdmin, Optional<Token> token, @Nullable Open nextProbes) {
            this.nextAdmin = nextAdmin;
            this.token = token;
            this.nextProbes = nextProbes;
        }

        /** Uses the new ports and their token, and drains those that they replace. */
        void commit() {
            nextAdmin.server().require(token);
            replaced(admin, nextAdmin);
            replaced(probes, nextProbes);
            admin = nextAdmin;
            probes = nextProbes;
        }

        /** Closes the new ports. */
        void discard() {
            replaced(nextAdmin, admin);
            replaced(nextProbes, probes);
        }

        private static void replaced(@Nullable Open port, @Nullable Open by) {
            if (port != null && !port.equals(by)) {
                port.drain();
            }
        }
    }

    /**
     * Opens the ports of {@code next} that are not open yet. A port with the same address stays.
     * New ones accept nothing until {@link #beginAccepting}.
     *
     * @throws CannotStart if one cannot be bound; then none of them is open
     */
    Change open(Admin next) throws CannotStart {
        return open(next, null);
    }

    /** Like {@link #open(Admin)}, with the sockets that {@code from} has. */
    Change open(Admin next, @Nullable Takeover from) throws CannotStart {
        var ofAdmin =
                admin != null && admin.configured().equals(next.address())
                        ? admin
                        : started(
                                "admin.address",
                                next.address(),
                                AdminServer.of(
                                        next.address(), next.token(), actions, sockets("admin")),
                                taken(from, Role.ADMIN, next.address()));
        try {
            return new Change(ofAdmin, next.token(), ofProbes(next.probes(), from));
        } catch (CannotStart | RuntimeException | Error cannotListen) {
            if (!ofAdmin.equals(admin)) {
                ofAdmin.server().close();
            }
            throw cannotListen;
        }
    }

    /**
     * @param key of the address in the configuration
     * @param inherited the socket of another process, if it has one for the address
     */
    private Open started(
            String key,
            HostPort configured,
            AdminServer server,
            Optional<ListeningSockets> inherited)
            throws CannotStart {
        try {
            return new Open(
                    configured,
                    server,
                    inherited.isPresent() ? server.adopt(inherited.get()) : server.start());
        } catch (IOException cannotListen) {
            server.close();
            throw new CannotStart(List.of(because(key, configured, cannotListen)));
        } catch (RuntimeException | Error bug) {
            server.close();
            throw bug;
        }
    }

    /** The ports of this proxy have no SO_REUSEPORT. */
    private Problem because(String key, HostPort configured, IOException cannotListen) {
        if (PortProbe.isInUse(cannotListen)) {
            for (var each : Arrays.asList(admin, probes)) {
                if (each != null && each.isInTheWayOf(configured)) {
                    return new Problem(
                            Optional.empty(),
                            key,
                            configured
                                    + " is in use by Quire itself, which listens on "
                                    + each.configured(),
                            "another port, or a restart");
                }
            }
        }
        return PortProbe.because(key, configured, cannotListen);
    }

    private static Optional<ListeningSockets> taken(
            @Nullable Takeover from, Role role, HostPort address) {
        return from == null ? Optional.empty() : from.take(role, address);
    }

    private @Nullable Open ofProbes(Optional<HostPort> address, @Nullable Takeover from)
            throws CannotStart {
        if (address.isEmpty()) {
            return null;
        }
        return probes != null && probes.configured().equals(address.get())
                ? probes
                : started(
                        "admin.probes",
                        address.get(),
                        AdminServer.ofProbes(address.get(), actions, sockets("probes")),
                        taken(from, Role.PROBES, address.get()));
    }

    private AdminServer.Sockets sockets(String name) {
        return new AdminServer.Sockets(
                transport.serverChannel(),
                () -> new EventLoops(1, "quire-" + name, transport.ioHandlers()));
    }

    /** The address of the admin port, which is open. */
    InetSocketAddress address() {
        if (admin == null) {
            throw new IllegalStateException("the admin port is not open");
        }
        return admin.address();
    }

    Optional<InetSocketAddress> probesAddress() {
        return Optional.ofNullable(probes).map(Open::address);
    }

    /** Accepts connections from now on. */
    void beginAccepting() {
        if (admin != null) {
            admin.server().beginAccepting();
        }
        if (probes != null) {
            probes.server().beginAccepting();
        }
    }

    /** The sockets of the ports that are open. */
    List<ListeningSockets> sockets() {
        var sockets = new ArrayList<ListeningSockets>();
        if (admin != null) {
            sockets.add(admin.server().sockets(Role.ADMIN));
        }
        if (probes != null) {
            sockets.add(probes.server().sockets(Role.PROBES));
        }
        return sockets;
    }

    /** Accepts no new connections. */
    void stopListening() {
        if (admin != null) {
            admin.server().stopListening();
        }
        if (probes != null) {
            probes.server().stopListening();
        }
    }

    /** Like {@link #stopListening}; closes the connections once their requests are answered. */
    void drain() {
        if (admin != null) {
            admin.drain();
        }
        if (probes != null) {
            probes.drain();
        }
    }

    void close() {
        if (admin != null) {
            admin.server().close();
        }
        if (probes != null) {
            probes.server().close();
        }
    }
}
