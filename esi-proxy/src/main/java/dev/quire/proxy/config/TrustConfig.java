package dev.quire.proxy.config;

import dev.quire.core.http.FieldNames;
import dev.quire.core.policy.RequestFields;
import dev.quire.proxy.exchange.ClientTrust;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

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

    /** Trusts nobody. */
    public static final TrustConfig DEFAULTS =
            new TrustConfig(List.of(), List.of(), Optional.empty());

    /** Accepts forwarding fields other than those of which {@code trusted} decides alone. */
    static final ValueParser<String> FIELD =
            new ValueParser<>(
                    "a forwarding field such as X-Forwarded-Host, X-Forwarded-Port,"
                            + " X-Forwarded-Prefix, Forwarded or X-Real-IP",
                    text -> Optional.of(text).filter(TrustConfig::isConfigurable));

    public TrustConfig {
        trusted = List.copyOf(trusted);
        fields = List.copyOf(fields);
        diagnostics = diagnostics.map(List::copyOf);
    }

    /** Returns these rules for requests. */
    public ClientTrust rules() {
        return new ClientTrust(
                address -> contains(trusted, address),
                FieldNames.of(fields.toArray(String[]::new)),
                diagnostics
                        .<Predicate<InetAddress>>map(
                                networks -> address -> contains(networks, address))
                        .orElse(null));
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
