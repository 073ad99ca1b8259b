package dev.quire.proxy.config;

import dev.quire.core.text.Network;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code invalidation} section: purges and bans of clients.
 *
 * @param methods the methods that are answered; the others are refused for everyone
 * @param from the networks whose clients may send them
 * @param token required in {@code Authorization: Bearer} as well, if there is one
 */
public record InvalidationConfig(Set<Method> methods, List<Network> from, Optional<Token> token) {

    static final InvalidationConfig DEFAULTS =
            new InvalidationConfig(Set.of(), List.of(), Optional.empty());

    /** A method that invalidates. */
    public enum Method {
        PURGE,
        BAN;

        static final ValueParser<Method> NOTATION =
                new ValueParser<>(
                        "PURGE | BAN",
                        Method::named,
                        String::valueOf,
                        ValueForm.oneOf(List.of("PURGE", "BAN")));

        /** Returns the method of a request, or nothing if it has another one. */
        public static Optional<Method> named(String name) {
            return switch (name) {
                case "PURGE" -> Optional.of(PURGE);
                case "BAN" -> Optional.of(BAN);
                default -> Optional.empty();
            };
        }
    }

    public InvalidationConfig {
        methods = Set.copyOf(methods);
        from = List.copyOf(from);
    }

    static InvalidationConfig read(Section section) {
        var methods = section.list("methods", Method.NOTATION, List.of());
        var from = section.list("from", ValueParser.NETWORK, List.of());
        if (!methods.isEmpty() && from.isEmpty()) {
            section.wrong(
                    "from",
                    "names no network, so every request would be refused",
                    "a list, each " + Network.EXPECTED);
        }
        return new InvalidationConfig(
                Set.copyOf(methods), from, section.optional("token-file", TokenFile.NOTATION));
    }

    /** Whether requests with the method called {@code name} are answered. */
    public boolean answers(String name) {
        return !methods.isEmpty() && Method.named(name).filter(methods::contains).isPresent();
    }

    /** Whether a client at {@code address} may send them. */
    public boolean isFrom(InetAddress address) {
        return from.stream().anyMatch(network -> network.contains(address));
    }
}
