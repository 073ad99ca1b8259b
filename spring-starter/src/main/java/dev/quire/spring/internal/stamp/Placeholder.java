package dev.quire.spring.internal.stamp;

import dev.quire.spring.internal.fields.Charsets;
import dev.quire.spring.internal.settings.StampProperties;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The secret of fixed length that marks the tags of this application while a page is rendered. When
 * the response leaves the application, it is replaced by the surrogate's stamp, or removed.
 *
 * <p>User content cannot contain the unknown secret, so tags in it stay text. Immutable, shared by
 * all requests, never logged.
 */
public final class Placeholder {

    /** Tags are written without a mark. */
    public static final Placeholder OFF = new Placeholder("");

    /** Fewer characters of the placeholder do not help to guess it. */
    private static final int PART = 6;

    private final String secret;
    private final Finder placeholders;
    private final Finder marks;

    /** The placeholder in two and in four bytes per character, in any byte order. */
    private final List<Finder> wide;

    private Placeholder(String secret) {
        this.secret = secret;
        this.placeholders = new Finder(bytes(secret));
        this.marks = new Finder(bytes(mark()));
        this.wide =
                secret.isEmpty()
                        ? List.of()
                        : List.of(new Finder(spread(secret, 2)), new Finder(spread(secret, 4)));
    }

    public static Placeholder of(StampProperties properties) {
        if (!properties.enabled()) {
            return OFF;
        }
        var configured = properties.placeholder();
        return configured == null ? drawn(new SecureRandom()) : new Placeholder(configured);
    }

    private static Placeholder drawn(SecureRandom random) {
        var bits = new byte[16];
        random.nextBytes(bits);
        return new Placeholder(Base64.getUrlEncoder().withoutPadding().encodeToString(bits));
    }

    public boolean isOn() {
        return !secret.isEmpty();
    }

    /** Returns the placeholder; empty if tags are not stamped. */
    public String secret() {
        return secret;
    }

    /**
     * Returns the text directly after {@code <esi:}, {@code </esi:} and {@code $} in our own tags.
     */
    public String mark() {
        return isOn() ? secret + ":" : "";
    }

    /** Whether the first {@code length} of {@code bytes} contain one of our tags. */
    public boolean isIn(byte[] bytes, int length) {
        return isOn() && placeholders.first(bytes, 0, length) >= 0;
    }

    /**
     * Whether the first {@code length} of {@code bytes} contain the placeholder in a charset in
     * which no swap finds it.
     *
     * @param charset the declared charset if tags cannot be found in it, or null
     */
    public boolean isHidden(byte[] bytes, int length, @Nullable Charset charset) {
        for (var finder : wide) {
            if (finder.first(bytes, 0, length) >= 0) {
                return true;
            }
        }
        var encoded = charset == null || !isOn() ? null : Charsets.encoded(secret, charset);
        return encoded != null && new Finder(encoded).first(bytes, 0, length) >= 0;
    }

    /** Returns {@code bytes} with plain tags; the same array if nothing changes. */
    public byte[] removedFrom(byte[] bytes) {
        return isOn() ? removal().all(bytes) : bytes;
    }

    /**
     * Returns {@code text} without the placeholder and without parts of it, in any case: a response
     * field may hold the beginning of a rendered page.
     */
    public String removedFrom(String text) {
        if (!isOn() || text.length() < PART) {
            return text;
        }
        var kept = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            int length = partAt(text, at);
            if (length == 0) {
                kept.append(text.charAt(at));
            }
            at += Math.max(1, length);
        }
        return kept.length() == text.length() ? text : kept.toString();
    }

    /** Returns the length of the part of the placeholder at {@code at}, or 0. */
    private int partAt(String text, int at) {
        for (int from = 0; from <= secret.length() - PART; from++) {
            if (text.regionMatches(true, at, secret, from, PART)) {
                int length = PART;
                while (from + length < secret.length()
                        && text.regionMatches(true, at + length, secret, from + length, 1)) {
                    length++;
                }
                return length;
            }
        }
        return 0;
    }

    public StampSwap removal() {
        return new StampSwap(marks, new byte[0]);
    }

    /**
     * Returns a swap that removes stamps from text in {@code charset}; null if stamps cannot be
     * encoded in it.
     */
    @Nullable
    public StampSwap removal(Charset charset) {
        var encoded = Charsets.encoded(mark(), charset);
        return encoded == null ? null : new StampSwap(new Finder(encoded), new byte[0]);
    }

    /**
     * Returns a swap that replaces the placeholder with {@code nonce}, which has the same length.
     */
    public StampSwap swapFor(String nonce) {
        return new StampSwap(placeholders, bytes(nonce));
    }

    private static byte[] spread(String text, int width) {
        var spread = new byte[(text.length() - 1) * width + 1];
        for (int i = 0; i < text.length(); i++) {
            spread[i * width] = (byte) text.charAt(i);
        }
        return spread;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Omits the placeholder. */
    @Override
    public String toString() {
        return isOn() ? "Placeholder[on]" : "Placeholder[off]";
    }

    /** Searches for a short pattern from its end, so that most bytes are skipped. */
    public static final class Finder {

        private final byte[] pattern;
        private final int[] shifts = new int[256];

        public Finder(byte[] pattern) {
            this.pattern = pattern;
            Arrays.fill(shifts, pattern.length);
            for (int i = 0; i < pattern.length - 1; i++) {
                shifts[pattern[i] & 0xff] = pattern.length - 1 - i;
            }
        }

        int length() {
            return pattern.length;
        }

        /** Returns the first index of the pattern between {@code from} and {@code end}, or -1. */
        int first(byte[] bytes, int from, int end) {
            int last = pattern.length - 1;
            int at = from;
            while (at + last < end) {
                if (isAt(bytes, at, last)) {
                    return at;
                }
                at += shifts[bytes[at + last] & 0xff];
            }
            return -1;
        }

        private boolean isAt(byte[] bytes, int at, int last) {
            for (int i = last; i >= 0; i--) {
                if (bytes[at + i] != pattern[i]) {
                    return false;
                }
            }
            return true;
        }

        /** Returns how many bytes before {@code end} may be the start of the pattern. */
        int begun(byte[] bytes, int from, int end) {
            for (int many = Math.min(pattern.length - 1, end - from); many > 0; many--) {
                if (isBegun(bytes, end - many, many)) {
                    return many;
                }
            }
            return 0;
        }

        private boolean isBegun(byte[] bytes, int at, int many) {
            for (int i = 0; i < many; i++) {
                if (bytes[at + i] != pattern[i]) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Returns the first {@code many} bytes of the pattern, followed by {@code room} free bytes.
         */
        byte[] beginning(int many, int room) {
            var bytes = new byte[many + room];
            System.arraycopy(pattern, 0, bytes, 0, many);
            return bytes;
        }
    }
}
