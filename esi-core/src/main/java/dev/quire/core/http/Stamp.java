package dev.quire.core.http;

import java.util.Base64;

/**
 * A random word that marks the tags of one response as written by its application. It is generated
 * for each request to an origin, sent in {@code Surrogate-Capability}, and returned in {@code
 * Surrogate-Control} and in every tag. Injected text cannot know it. It is secret until the
 * response has been read, so {@link #toString} does not show it.
 *
 * @param text {@value #LENGTH} characters of base64url
 */
public record Stamp(String text) {

    /** The length of 128 bits in base64url. */
    public static final int LENGTH = 22;

    /** The number of random bytes. */
    public static final int BYTES = 16;

    /** The prefix of a stamp in {@code Surrogate-Capability}. */
    public static final String CAPABILITY = "Stamp/1.";

    public Stamp {
        if (!isStamp(text)) {
            throw new IllegalArgumentException(
                    "a stamp must have " + LENGTH + " characters of A-Z, a-z, 0-9, - and _");
        }
    }

    /** Returns the stamp of {@code bits}, {@value #BYTES} bytes. */
    public static Stamp of(byte[] bits) {
        if (bits.length != BYTES) {
            throw new IllegalArgumentException("a stamp must have 128 bits");
        }
        return new Stamp(Base64.getUrlEncoder().withoutPadding().encodeToString(bits));
    }

    /** Whether {@code text} is a well-formed stamp. */
    public static boolean isStamp(String text) {
        if (text.length() != LENGTH) {
            return false;
        }
        for (int i = 0; i < LENGTH; i++) {
            char each = text.charAt(i);
            boolean isLetter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
            boolean isDigit = each >= '0' && each <= '9';
            if (!isLetter && !isDigit && each != '-' && each != '_') {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "stamp";
    }
}
