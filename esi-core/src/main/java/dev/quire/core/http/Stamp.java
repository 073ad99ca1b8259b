package dev.quire.core.http;

import java.util.Base64;

/**
 * What marks the tags of one answer as its application's own: a word drawn anew for each request to
 * an origin, sent along in {@code Surrogate-Capability}, and given back in {@code
 * Surrogate-Control} and in every tag. Text that was there before cannot know it. A secret until
 * the answer has been read: its name says nothing.
 *
 * @param text {@value #LENGTH} characters of base64url
 */
public record Stamp(String text) {

    /** Of 128 bits. */
    public static final int LENGTH = 22;

    /** How many bytes one is drawn as. */
    public static final int BYTES = 16;

    /** What stands in front of it in {@code Surrogate-Capability}. */
    public static final String CAPABILITY = "Stamp/1.";

    public Stamp {
        if (!isStamp(text)) {
            throw new IllegalArgumentException(
                    "a stamp must have " + LENGTH + " characters of A-Z, a-z, 0-9, - and _");
        }
    }

    /** The stamp that {@code bits} are, {@value #BYTES} bytes. */
    public static Stamp of(byte[] bits) {
        if (bits.length != BYTES) {
            throw new IllegalArgumentException("a stamp must have 128 bits");
        }
        return new Stamp(Base64.getUrlEncoder().withoutPadding().encodeToString(bits));
    }

    /** Whether {@code text} could be one. */
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
