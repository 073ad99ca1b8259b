package dev.quire.proxy.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A bearer token (RFC 6750 §2.1), of the admin API or of invalidations by clients. Never printed.
 *
 * @param secret at least 22 visible ASCII characters: 128 bits in Base64
 */
public record Token(String secret) {

    private static final String SCHEME = "Bearer ";

    static final int MIN_LENGTH = 22;
    static final int MAX_LENGTH = 4096;

    public Token {
        if (!isUsable(secret)) {
            throw new IllegalArgumentException("expected at least 22 visible ASCII characters");
        }
    }

    /** Compares in constant time with respect to the content of {@code presented}. */
    public boolean matches(String presented) {
        return MessageDigest.isEqual(
                secret.getBytes(StandardCharsets.UTF_8),
                presented.getBytes(StandardCharsets.UTF_8));
    }

    /** Whether {@code credentials}, the value of {@code Authorization}, present this token. */
    public boolean isIn(String credentials) {
        return credentials.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && matches(credentials.substring(SCHEME.length()).strip());
    }

    static boolean isUsable(String secret) {
        return secret.length() >= MIN_LENGTH
                && secret.length() <= MAX_LENGTH
                && secret.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    @Override
    public String toString() {
        return "Token[***]";
    }
}
