package dev.quire.test.memory;

import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * A content coding that can be undone: gzip, or deflate with or without its wrapping. No
 * application is asked for one.
 */
enum Coding {
    GZIP,
    DEFLATE,
    /** Any other. */
    UNKNOWN;

    private static final int RATIO_FREE_BYTES = 1024 * 1024;
    private static final int MAX_RATIO = 100;
    private static final int STEP_BYTES = 8 * 1024;

    /** What came of undoing it. */
    sealed interface Undone {
        record Plain(Bytes bytes) implements Undone {}

        record Broken(Failure failure) implements Undone {}
    }

    /** Whether {@code fields} name a coding. */
    static boolean isNamedBy(Fields fields) {
        return switch (codings(fields)) {
            case "", "identity" -> false;
            default -> true;
        };
    }

    /** The one that {@code fields} name. */
    static Coding of(Fields fields) {
        return switch (codings(fields)) {
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            default -> UNKNOWN;
        };
    }

    /** {@code fields} without what is true of the coded body alone. */
    static Fields undone(Fields fields) {
        return fields.without(Coding::isOfTheCodedBody);
    }

    /** {@code coded} without it. */
    Undone undone(byte[] coded) {
        int most = Math.max(RATIO_FREE_BYTES, MAX_RATIO * coded.length);
        var plain = new ByteArrayOutputStream();
        var step = new byte[STEP_BYTES];
        try (var in = decoder(coded)) {
            for (int bytes; (bytes = in.read(step)) >= 0; ) {
                plain.write(step, 0, bytes);
                if (plain.size() > most) {
                    return broken(Failure.Kind.TOO_LARGE, this + " inflates to over " + most);
                }
            }
            return new Undone.Plain(new Bytes(plain.toByteArray()));
        } catch (IOException e) {
            return broken(Failure.Kind.MALFORMED, "broken " + this + ": " + e.getMessage());
        }
    }

    private static Undone broken(Failure.Kind kind, String why) {
        return new Undone.Broken(new Failure(Failure.Side.ORIGIN, kind, why));
    }

    private InputStream decoder(byte[] coded) throws IOException {
        var in = new ByteArrayInputStream(coded);
        return switch (this) {
            case GZIP -> new GZIPInputStream(in);
            case DEFLATE -> new InflaterInputStream(in, new Inflater(!isWrapped(coded)));
            case UNKNOWN -> throw new IOException("a content coding unknown to us");
        };
    }

    /** Whether it begins as RFC 1950 says. */
    private static boolean isWrapped(byte[] coded) {
        return coded.length > 1
                && (coded[0] & 0x0f) == 8
                && ((coded[0] & 0xff) << Byte.SIZE | (coded[1] & 0xff)) % 31 == 0;
    }

    private static String codings(Fields fields) {
        return String.join(",", fields.all("content-encoding")).strip().toLowerCase(Locale.ROOT);
    }

    private static boolean isOfTheCodedBody(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "content-encoding",
                    "content-length",
                    "content-md5",
                    "content-digest",
                    "repr-digest",
                    "digest" ->
                    true;
            default -> false;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
