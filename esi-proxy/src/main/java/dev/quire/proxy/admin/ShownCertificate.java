package dev.quire.proxy.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A certificate in use.
 *
 * @param names the hosts it is for
 * @param kind of its key, such as {@code RSA} or {@code EC}
 * @param expiresIn negative once it has expired
 */
public record ShownCertificate(
        String file,
        List<String> names,
        String kind,
        Instant notAfter,
        Duration expiresIn,
        boolean stapled) {

    public ShownCertificate {
        names = List.copyOf(names);
    }
}
