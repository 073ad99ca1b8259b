package dev.quire.proxy.admin;

import java.time.Duration;
import java.util.List;

/**
 * One stored response of a key, without its content.
 *
 * @param vary names of the request fields that select it; their values may be private
 * @param remaining of the freshness lifetime; negative once stale
 * @param bytes memory that it uses, or would use
 * @param tier {@code memory}, or {@code disk} if only the disk has it
 */
public record StoredVariant(
        List<String> vary,
        int status,
        Duration age,
        Duration lifetime,
        Duration remaining,
        Duration grace,
        Duration staleIfError,
        List<String> tags,
        long bytes,
        boolean esi,
        String tier) {

    public StoredVariant {
        vary = List.copyOf(vary);
        tags = List.copyOf(tags);
    }
}
