package dev.quire.proxy.cli;

import dev.quire.proxy.config.HostPort;
import dev.quire.proxy.config.ListenAddress;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.config.UnixPath;
import dev.quire.proxy.handover.UnixSocketFile;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Tests whether an address can be bound by binding it briefly. The listeners set {@code
 * SO_REUSEPORT}, with which two processes could share a port unnoticed.
 */
public final class PortProbe {

    private PortProbe() {}

    /** Returns why {@code address} cannot be bound, or nothing if it can. */
    public static Optional<Problem> obstacle(String key, ListenAddress address) {
        return switch (address) {
            case HostPort port -> obstacle(key, port);
            case UnixPath unix ->
                    UnixSocketFile.obstacle(unix.path())
                            .map(found -> problem(key, unix, found.what(), found.expected()));
        };
    }

    private static Optional<Problem> obstacle(String key, HostPort address) {
        var socketAddress = address.resolved();
        if (socketAddress.isUnresolved()) {
            return Optional.of(unresolved(key, address));
        }
        try (var socket = new ServerSocket()) {
            // Lingering connections of an earlier process are acceptable, a listener is not.
            socket.setReuseAddress(true);
            socket.bind(socketAddress);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(because(key, address, e));
        }
    }

    /** Returns the problem if binding {@code address} has failed with {@code failure}. */
    public static Problem because(String key, ListenAddress address, IOException failure) {
        if (failure instanceof UnixSocketFile.Unusable unusable) {
            return problem(key, address, unusable.what(), unusable.expected());
        }
        var reason = reason(failure);
        if (reason instanceof UnresolvedAddressException
                || reason instanceof UnknownHostException) {
            return unresolved(key, address);
        }
        var message = message(reason);
        var cause = message.toLowerCase(Locale.ROOT);
        if (isInUse(failure)) {
            return problem(key, address, "is in use", "a free port");
        }
        if (cause.contains("permission denied")) {
            return problem(key, address, "is not permitted", "a port this user may listen on");
        }
        if (cause.contains("cannot assign")) {
            return problem(
                    key, address, "is not an address of this machine", "one of its addresses");
        }
        return problem(
                key,
                address,
                "cannot be bound: " + message,
                "an address of this machine and a free port");
    }

    /** Whether binding has failed with {@code failure} because another socket has the address. */
    public static boolean isInUse(IOException failure) {
        return message(reason(failure)).toLowerCase(Locale.ROOT).contains("in use");
    }

    private static Throwable reason(IOException failure) {
        return failure.getCause() == null ? failure : failure.getCause();
    }

    private static String message(Throwable reason) {
        return Objects.requireNonNullElse(reason.getMessage(), reason.getClass().getSimpleName());
    }

    private static Problem unresolved(String key, ListenAddress address) {
        return problem(key, address, "cannot be resolved", "an address of this machine");
    }

    private static Problem problem(
            String key, ListenAddress address, String what, String expected) {
        return new Problem(Optional.empty(), key, address + " " + what, expected);
    }
}
