package dev.quire.proxy.config;

import java.util.Optional;

/**
 * The {@code admin} section.
 *
 * @param address of the admin listener; requires a token unless it is a loopback address
 * @param token required in {@code Authorization: Bearer}; optional on loopback only
 * @param probes the address of a second listener, for {@code /healthz}, {@code /readyz} and {@code
 *     /metrics} only and without a token
 */
public record Admin(HostPort address, Optional<Token> token, Optional<HostPort> probes) {

    static final Admin DEFAULTS =
            new Admin(new HostPort("127.0.0.1", 9901), Optional.empty(), Optional.empty());

    public Admin {
        if (token.isEmpty() && !address.isLoopback()) {
            throw new IllegalArgumentException(
                    "an admin address that is not loopback requires a token: " + address);
        }
    }
}
