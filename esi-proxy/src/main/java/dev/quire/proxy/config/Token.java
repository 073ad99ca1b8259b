package dev.quire.proxy.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * A bearer token of the admin API (RFC 6750 §2.1). Never printed.
 *
 * @param secret at least 22 visible ASCII characters: 128 bits in Base64
 */
public record Token(String secret) {

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
