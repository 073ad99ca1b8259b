package dev.quire.proxy.exchange;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Identifies one client request in logs, and at the origin if configured. Not a secret. Ids of our
 * own have 26 characters and sort by time, as ULIDs do.
 */
public final class RequestId {
    /** The field that passes it on. */
    public static final String FIELD = "X-Request-Id";

    private static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final int LENGTH = 26;
    private static final int MAX_GIVEN = 64;
    private static final long PROCESS = ThreadLocalRandom.current().nextLong() & 0xffff;

    private final @Nullable String given;
    private final long millis;
    private final long random;

    private RequestId(@Nullable String given, long millis, long random) {
        this.given = given;
        this.millis = millis;
        this.random = random;
    }

    /** Returns a new id. */
    public static RequestId create() {
        return create(System.currentTimeMillis());
    }

    /** Returns a new id of the time {@code millis}, since 1970. */
    static RequestId create(long millis) {
        return new RequestId(null, millis, ThreadLocalRandom.current().nextLong());
    }

    /** Returns the id that a trusted peer gave the request, if it is usable, else a new one. */
    public static RequestId of(RequestHead received, boolean isTrusted) {
        var value = isTrusted ? received.fields().first(FIELD) : null;
        return value == null || !isUsable(value) ? create() : new RequestId(value, 0, 0);
    }

    /** Returns {@code request} with this id in place of any other. */
    public RequestHead in(RequestHead request) {
        var fields =
                new Fields.Builder()
                        .addAll(request.fields().without(FIELD::equalsIgnoreCase))
                        .add(FIELD, text());
        return new RequestHead(
                request.method(),
                request.scheme(),
                request.authority(),
                request.target(),
                fields.build());
    }

    /** Letters, digits and {@code -._} only. */
    public String text() {
        if (given != null) {
            return given;
        }
        var text = new char[LENGTH];
        // 48 bits of time, 16 of the process and 64 of the request, in digits of 5 bits.
        long low = random;
        long high = millis << 16 | PROCESS;
        for (int i = LENGTH - 1; i >= 0; i--) {
            text[i] = DIGITS.charAt((int) (low & 31));
            low = low >>> 5 | high << 59;
            high >>>= 5;
        }
        return new String(text);
    }

    private static boolean isUsable(String value) {
        return !value.isEmpty()
                && value.length() <= MAX_GIVEN
                && value.chars().allMatch(RequestId::isPlain);
    }

    private static boolean isPlain(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_';
    }
}
