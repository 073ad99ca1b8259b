package dev.quire.proxy.config;

import java.util.Optional;

/**
 * Where operators connect.
 *
 * @param address of the admin listener; other than loopback only with a token
 * @param token what a request must carry as {@code Authorization: Bearer}; none on loopback only
 */
public record Admin(HostPort address, Optional<Token> token) {

    static final Admin DEFAULTS = new Admin(new HostPort("127.0.0.1", 9901), Optional.empty());

    public Admin {
        if (token.isEmpty() && !address.isLoopback()) {
            throw new IllegalArgumentException(
                    "an admin address that is not loopback requires a token: " + address);
        }
    }
}
