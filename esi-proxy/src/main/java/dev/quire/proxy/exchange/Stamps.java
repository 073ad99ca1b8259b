package dev.quire.proxy.exchange;

import dev.quire.core.http.Stamp;
import java.security.SecureRandom;

/** Draws stamps, which nobody can guess. Any thread. */
public final class Stamps {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Stamps() {}

    /** One that has never been drawn before. */
    public static Stamp draw() {
        var bits = new byte[Stamp.BYTES];
        RANDOM.nextBytes(bits);
        return Stamp.of(bits);
    }
}
