package dev.quire.proxy.config;

import dev.quire.core.text.Literal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An address to listen on.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port 0 to 65535; 0 picks a free port
 */
public record HostPort(String host, int port) implements ListenAddress {

    static final String EXPECTED = "HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080";

    public HostPort {
        if (host.isEmpty() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("expected " + EXPECTED);
        }
    }

    /**
     * Parses {@code HOST:PORT} or {@code [IPV6]:PORT}.
     *
     * @throws IllegalArgumentException if the text has neither form
     */
    public static HostPort parse(String text) {
        return read(text)
                .orElseThrow(() -> new IllegalArgumentException(text + " is not " + EXPECTED));
    }

    static Optional<HostPort> read(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            return Optional.empty();
        }
        var host = text.substring(0, colon);
        var port = port(text.substring(colon + 1));
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (host.indexOf(':') < 0 || Literal.address(host).isEmpty()) {
                return Optional.empty();
            }
        } else if (!Literal.isHost(host)) {
            return Optional.empty();
        }
        var found = host;
        return port.map(number -> new HostPort(found, number));
    }

    /** Whether it is a loopback address or {@code localhost}. Does not resolve names. */
    public boolean isLoopback() {
        return host.equalsIgnoreCase("localhost")
                || Literal.address(host).map(InetAddress::isLoopbackAddress).orElse(false);
    }

    /**
     * Returns the socket address. Resolves a name, so it may block; the result may be unresolved.
     */
    public InetSocketAddress resolved() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    private static Optional<Integer> port(String text) {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(Literal::isDigit)) {
            return Optional.empty();
        }
        int port = Integer.parseInt(text);
        return port > 65_535 ? Optional.empty() : Optional.of(port);
    }
}
