package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script that the server runs as one step. Scripts compare records by 24 bytes: epoch, number and
 * time of writing, as {@code RecordHeader} has them. The kind of a list is before these, as {@code
 * VarySpec} has it.
 */
enum StoreScript {
    /**
     * Keys: record, lease. Arguments: the 24 bytes of the record that is of no use, or none; the
     * holder; milliseconds; the last byte of the longest record. Returns a record, or a number of
     * {@link Lease}.
     */
    LEASE(
            """
            local version = redis.call('GETRANGE', KEYS[1], 40, 63)
            if version ~= '' and version ~= ARGV[1] then
              return redis.call('GETRANGE', KEYS[1], 0, ARGV[4])
            end
            local holder = redis.call('GET', KEYS[2])
            if not holder or holder == ARGV[2] then
              redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
              return 1
            end
            if holder == 'failed' then return 3 end
            if holder == 'uncacheable' then return 4 end
            return 2
            """),
    /**
     * Keys: record, lease. Arguments: the present epoch, the 24 bytes of the record, milliseconds,
     * the record, the holder. Returns 1 if it was written, 0 if a later one is there.
     */
    PUT(
            """
            local holder = redis.call('GET', KEYS[2])
            if holder == ARGV[5] or holder == 'failed' or holder == 'uncacheable' then
              redis.call('UNLINK', KEYS[2])
            end
            if is_later(redis.call('GETRANGE', KEYS[1], 40, 63), ARGV[2], ARGV[1]) then
              return 0
            end
            redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[3])
            return 1
            """),
    /**
     * Key: record. Arguments: the present epoch, the 24 bytes of a record, the kind of lists that
     * stay or nothing. Returns 1 if the record is absent now, 0 if a later one or such a list is
     * there.
     */
    REMOVE(
            """
            local head = redis.call('GETRANGE', KEYS[1], 24, 63)
            local is_kept = ARGV[3] ~= '' and string.sub(head, 1, #ARGV[3]) == ARGV[3]
            if is_kept or is_later(string.sub(head, 17), ARGV[2], ARGV[1]) then
              return 0
            end
            redis.call('UNLINK', KEYS[1])
            return 1
            """),
    /**
     * Key: lease. Arguments: the holder; {@code failed}, {@code uncacheable} or nothing;
     * milliseconds of that. Returns 1 if the lease was the holder's, or was absent.
     */
    RELEASE(
            """
            local holder = redis.call('GET', KEYS[1])
            if holder and holder ~= ARGV[1] then return 0 end
            if ARGV[2] ~= '' then
              redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
            elseif holder then
              redis.call('UNLINK', KEYS[1])
            end
            return 1
            """);

    /** Strings are not compared by {@code <}, which depends on the locale of the server. */
    private static final String IS_LATER =
            """
            local function is_later(stored, version, epoch)
              if #stored ~= 24 or string.sub(stored, 1, 8) ~= epoch then return false end
              for i = 9, 24 do
                local a, b = string.byte(stored, i), string.byte(version, i)
                if a ~= b then return a > b end
              end
              return false
            end
            """;

    private final String text;
    private final String hash;

    StoreScript(String text) {
        var whole = text.contains("is_later") ? IS_LATER + text : text;
        this.text = whole;
        this.hash = HexFormat.of().formatHex(sha1(whole));
    }

    private static byte[] sha1(String text) {
        try {
            return MessageDigest.getInstance("SHA-1").digest(text.getBytes(US_ASCII));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-1", e);
        }
    }

    String text() {
        return text;
    }

    /** Its name on a server that has run it before. */
    String hash() {
        return hash;
    }
}
