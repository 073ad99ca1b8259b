package dev.quire.proxy.exchange;

import dev.quire.core.http.Stamp;
import java.security.SecureRandom;

/** Creates unpredictable stamps. Thread-safe. */
public final class Stamps {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Stamps() {}

    /** Returns a new, unique stamp. */
    public static Stamp draw() {
        var bits = new byte[Stamp.BYTES];
        RANDOM.nextBytes(bits);
        return Stamp.of(bits);
    }
}
