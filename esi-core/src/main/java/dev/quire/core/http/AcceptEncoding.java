package dev.quire.core.http;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The content codings that a client accepts (RFC 9110 §12.5.3). A member with a malformed weight is
 * ignored. A client without the field is assumed to accept no coding, though the RFC would allow
 * any. Thread-safe.
 */
public final class AcceptEncoding {

    /** Clients send a small number of different values; others are not cached. */
    private static final int MAX_KNOWN = 128;

    private static final int MAX_KNOWN_LENGTH = 128;

    private static final int ALL = 1000;
    private static final int UNNAMED = -1;

    /** The values for origins, indexed by the sum of the bits; the order is always the same. */
    private static final @Nullable String[] SPELLINGS = {
        null, "br", "gzip", "br, gzip", "zstd", "br, zstd", "gzip, zstd", "br, gzip, zstd"
    };

    private static final int BROTLI_AND_GZIP = 3;

    private static final AcceptEncoding NOTHING = new AcceptEncoding(List.of());
    private static final ConcurrentMap<String, AcceptEncoding> KNOWN = new ConcurrentHashMap<>();

    private final List<Weighed> codings;
    private final boolean prefersGzip;

    private final Set<ContentCoding> accepted = EnumSet.of(ContentCoding.IDENTITY);

    private final int spelling;

    /**
     * One member.
     *
     * @param coding as named, {@code *} for all that are not
     * @param weight in thousandths; 0 means not acceptable
     */
    record Weighed(String coding, int weight) {}

    private AcceptEncoding(List<Weighed> codings) {
        this.codings = List.copyOf(codings);
        int gzip = weightOf("gzip");
        this.prefersGzip = gzip > 0 && gzip >= weight("identity");
        for (var each : ContentCoding.values()) {
            if (!each.token().isEmpty() && weightOf(each.token()) > 0) {
                accepted.add(each);
            }
        }
        this.spelling =
                (accepts(ContentCoding.BROTLI) ? 1 : 0)
                        + (accepts(ContentCoding.GZIP) ? 2 : 0)
                        + (accepts(ContentCoding.ZSTD) ? 4 : 0);
    }

    public static AcceptEncoding of(Fields request) {
        var lines = request.all("Accept-Encoding");
        return switch (lines.size()) {
            case 0 -> NOTHING;
            case 1 -> of(lines.getFirst());
            default -> parsed(String.join(",", lines));
        };
    }

    private static AcceptEncoding of(String line) {
        var known = KNOWN.get(line);
        if (known != null) {
            return known;
        }
        var parsed = parsed(line);
        if (line.length() <= MAX_KNOWN_LENGTH && KNOWN.size() < MAX_KNOWN) {
            KNOWN.put(line, parsed);
        }
        return parsed;
    }

    private static AcceptEncoding parsed(String value) {
        return new AcceptEncoding(
                FieldList.split(value, ',').stream().map(AcceptEncoding::member).toList());
    }

    /** Whether gzip is accepted with at least the weight of the uncoded body. */
    public boolean prefersGzip() {
        return prefersGzip;
    }

    /**
     * Returns the Accept-Encoding for the origin: those of {@code br}, {@code gzip} and {@code
     * zstd} that the client accepts; null if it accepts none of them. One of few constants, so that
     * all clients of the same kind send the same request.
     */
    public @Nullable String forOrigin() {
        return SPELLINGS[spelling];
    }

    /** Returns {@link #forOrigin} without codings that cannot be decoded. */
    public @Nullable String decodableForOrigin() {
        return SPELLINGS[spelling & BROTLI_AND_GZIP];
    }

    /** Whether a body in {@code coding} is accepted; false for {@link ContentCoding#OTHER}. */
    public boolean accepts(ContentCoding coding) {
        return accepted.contains(coding);
    }

    /** Whether a body with {@code codings}, applied in order, is accepted. */
    public boolean accepts(List<String> codings) {
        for (var coding : FieldList.members(codings)) {
            if (!coding.equalsIgnoreCase("identity") && weightOf(coding) <= 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the weight of a coding, or of {@code *}; the caller always accepts identity. */
    private int weightOf(String coding) {
        int named = weight(coding);
        return named == UNNAMED ? weight("*") : named;
    }

    /** Returns the highest weight that {@code coding} is named with. */
    private int weight(String coding) {
        int highest = UNNAMED;
        for (var each : codings) {
            if (isSame(each.coding(), coding)) {
                highest = Math.max(highest, each.weight());
            }
        }
        return highest;
    }

    /** Two names have historical aliases (RFC 9110 §8.4.1.1, §8.4.1.3). */
    private static boolean isSame(String one, String other) {
        return withoutX(one).equalsIgnoreCase(withoutX(other));
    }

    private static String withoutX(String coding) {
        boolean isOld = coding.equalsIgnoreCase("x-gzip") || coding.equalsIgnoreCase("x-compress");
        return isOld ? coding.substring(2) : coding;
    }

    static Weighed member(String text) {
        var parts = FieldList.split(text, ';');
        if (parts.isEmpty()) {
            return new Weighed("", UNNAMED);
        }
        int weight = ALL;
        for (var parameter : parts.subList(1, parts.size())) {
            if (parameter.regionMatches(true, 0, "q=", 0, 2)) {
                weight = weight(parameter, 2);
            }
        }
        return new Weighed(parts.getFirst(), weight);
    }

    /** Parses {@code 0} or {@code 1} and up to three decimals (RFC 9110 §12.4.2), else unnamed. */
    private static int weight(String text, int start) {
        int digits = text.length() - start - 2;
        boolean isWeight =
                text.length() > start
                        && (text.charAt(start) == '0' || text.charAt(start) == '1')
                        && (text.length() == start + 1 || text.charAt(start + 1) == '.')
                        && digits <= 3;
        if (!isWeight) {
            return UNNAMED;
        }
        int weight = text.charAt(start) - '0';
        for (int i = 0; i < 3; i++) {
            int at = start + 2 + i;
            char c = at < text.length() ? text.charAt(at) : '0';
            if (c < '0' || c > '9') {
                return UNNAMED;
            }
            weight = weight * 10 + (c - '0');
        }
        return weight > ALL ? UNNAMED : weight;
    }
}
