package dev.quire.proxy.config;

import dev.quire.core.policy.RequestFields;
import dev.quire.core.text.Network;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The keys {@code trusted}, {@code trusted-fields} and {@code diagnostics}.
 *
 * @param trusted peers whose {@code X-Forwarded-For} and {@code X-Forwarded-Proto} are extended
 *     instead of replaced
 * @param fields further forwarding fields of these peers that are forwarded and part of the cache
 *     key
 * @param diagnostics clients that see {@code Cache-Status} and {@code X-ESI-Errors}; absent:
 *     loopback clients whose request has no forwarding field
 */
public record TrustConfig(
        List<Network> trusted, List<String> fields, Optional<List<Network>> diagnostics) {

    /** Trusts no peer. */
    public static final TrustConfig DEFAULTS =
            new TrustConfig(List.of(), List.of(), Optional.empty());

    /** Accepts forwarding fields other than those of which {@code trusted} decides alone. */
    static final ValueParser<String> FIELD =
            ValueParser.matching(
                    "field",
                    "a forwarding field such as X-Forwarded-Host, X-Forwarded-Port,"
                            + " X-Forwarded-Prefix, Forwarded or X-Real-IP",
                    "[!-~]+",
                    text -> Optional.of(text).filter(TrustConfig::isConfigurable));

    public TrustConfig {
        trusted = List.copyOf(trusted);
        fields = List.copyOf(fields);
        diagnostics = diagnostics.map(List::copyOf);
    }

    /** Whether the peer at {@code address} is trusted. */
    public boolean trusts(InetAddress address) {
        return contains(trusted, address);
    }

    /** Whether {@code diagnostics} names the client at {@code address}. */
    public boolean diagnoses(InetAddress address) {
        return diagnostics.isPresent() && contains(diagnostics.get(), address);
    }

    private static boolean isConfigurable(String name) {
        return RequestFields.isClaim(name)
                && !name.equalsIgnoreCase("X-Forwarded-For")
                && !name.equalsIgnoreCase("X-Forwarded-Proto");
    }

    private static boolean contains(List<Network> networks, InetAddress address) {
        for (var network : networks) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
