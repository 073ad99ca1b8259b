package dev.quire.core.policy;

import dev.quire.core.http.FieldSyntax;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The variant of its pages that a client gets, such as {@code login:member}. The application sets
 * it in a signed cookie, so that a cache can select variants without asking the application, and
 * clients cannot choose their own. The cookie's value is {@code <payload>.<expiry>.<mac>}.
 *
 * @param values the variant's value for each name, sorted by name
 * @param expires when it becomes invalid; fractions of a second are cut off
 */
public record SignedVariant(SortedMap<String, String> values, Instant expires) {

    /** The request field with a client's variant, for caches and the application. */
    public static final String FIELD = "Esi-Variant";

    /** The value of {@link #FIELD} for a client without a valid cookie. */
    public static final String NONE = "none";

    /** The maximum number of names in a variant. */
    public static final int MAX_NAMES = 8;

    /** The maximum length of a name, and of a value. */
    public static final int MAX_LENGTH = 32;

    /** The minimum length of a secret, in characters. */
    public static final int MIN_SECRET = 32;

    private static final int MAX_DIGITS = 12;
    private static final int MAC_LENGTH = 43;
    private static final int MAX_COOKIE =
            MAX_NAMES * (2 * MAX_LENGTH + 2) + MAX_DIGITS + 1 + MAC_LENGTH;

    private static final String ALGORITHM = "HmacSHA256";
    private static final String WORD = "1 to " + MAX_LENGTH + " characters of a-z, 0-9 and -";

    public SignedVariant {
        if (values.isEmpty() || values.size() > MAX_NAMES) {
            throw new IllegalArgumentException(
                    "expected a variant of 1 to " + MAX_NAMES + " names, found " + values.size());
        }
        values.forEach((name, value) -> {
            if (!isWord(name) || !isWord(value)) {
                throw new IllegalArgumentException(
                        "expected names and values of " + WORD + ", found " + name + ":" + value);
            }
        });
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
        expires = Instant.ofEpochSecond(expires.getEpochSecond());
        int digits = Long.toString(expires.getEpochSecond()).length();
        if (expires.getEpochSecond() < 0 || digits > MAX_DIGITS) {
            throw new IllegalArgumentException("invalid expiry time of a variant: " + expires);
        }
    }

    /**
     * Creates the variant of {@code values}.
     *
     * @throws IllegalArgumentException if there are none or too many, or one is malformed
     */
    public static SignedVariant of(Map<String, String> values, Instant expires) {
        return new SignedVariant(new TreeMap<>(values), expires);
    }

    /** Whether {@code text} is valid as a name or value. */
    public static boolean isWord(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            boolean isLetter = each >= 'a' && each <= 'z';
            boolean isDigit = each >= '0' && each <= '9';
            if (!isLetter && !isDigit && each != '-') {
                return false;
            }
        }
        return true;
    }

    /** Returns the value of {@link #FIELD}: {@code login:member_role:editor}. */
    public String payload() {
        var payload = new StringBuilder();
        values.forEach((name, value) -> {
            payload.append(payload.isEmpty() ? "" : "_").append(name).append(':').append(value);
        });
        return payload.toString();
    }

    /**
     * Returns the values in {@code payload} by name; empty if it is {@link #NONE} or malformed:
     * names unsorted or duplicate, too many, invalid names or values.
     */
    public static Optional<SortedMap<String, String>> values(String payload) {
        var values = new TreeMap<String, String>();
        int from = 0;
        while (from <= payload.length() && values.size() < MAX_NAMES) {
            int end = payload.indexOf('_', from);
            var pair = payload.substring(from, end < 0 ? payload.length() : end);
            int colon = pair.indexOf(':');
            var name = pair.substring(0, Math.max(colon, 0));
            var value = pair.substring(colon + 1);
            boolean isSorted = values.isEmpty() || values.lastKey().compareTo(name) < 0;
            if (!isWord(name) || !isWord(value) || !isSorted) {
                return Optional.empty();
            }
            values.put(name, value);
            if (end < 0) {
                return Optional.of(Collections.unmodifiableSortedMap(values));
            }
            from = end + 1;
        }
        return Optional.empty();
    }

    /** Signs and verifies the cookies of one name. Stateless; never exposes its secret. */
    public static final class Key {
        private final String cookie;
        private final SecretKeySpec secret;

        /**
         * @param cookie its name
         * @throws IllegalArgumentException if the secret is shorter than {@link #MIN_SECRET}
         */
        public Key(String cookie, String secret) {
            if (secret.length() < MIN_SECRET) {
                throw new IllegalArgumentException(
                        "a secret must have at least " + MIN_SECRET + " characters");
            }
            this.cookie = cookie;
            this.secret = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
        }

        public String cookie() {
            return cookie;
        }

        public String sign(SignedVariant variant) {
            var said = variant.payload() + '.' + variant.expires().getEpochSecond();
            return said + '.' + mac(said);
        }

        /** Returns the variant in a cookie; empty if its signature is invalid or it has expired. */
        public Optional<SignedVariant> verify(String value, Instant now) {
            if (value.length() > MAX_COOKIE) {
                return Optional.empty();
            }
            int macDot = value.lastIndexOf('.');
            int expiryDot = value.indexOf('.');
            if (expiryDot == macDot) {
                return Optional.empty();
            }
            var given = value.substring(macDot + 1).getBytes(StandardCharsets.UTF_8);
            var said = value.substring(0, macDot);
            if (!MessageDigest.isEqual(mac(said).getBytes(StandardCharsets.US_ASCII), given)) {
                return Optional.empty();
            }
            long expiry = seconds(said.substring(expiryDot + 1));
            return expiry <= now.getEpochSecond()
                    ? Optional.empty()
                    : values(said.substring(0, expiryDot))
                            .map(values ->
                                    new SignedVariant(values, Instant.ofEpochSecond(expiry)));
        }

        private String mac(String said) {
            try {
                var mac = Mac.getInstance(ALGORITHM);
                mac.init(secret);
                var signed = (cookie + '=' + said).getBytes(StandardCharsets.UTF_8);
                return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(signed));
            } catch (GeneralSecurityException missing) {
                throw new IllegalStateException("missing algorithm " + ALGORITHM, missing);
            }
        }

        /** Returns the number in {@code digits}; -1 if malformed or too long. */
        private static long seconds(String digits) {
            return digits.length() > MAX_DIGITS ? -1 : FieldSyntax.number(digits, Long.MAX_VALUE);
        }

        @Override
        public String toString() {
            return "key of " + cookie;
        }
    }
}
