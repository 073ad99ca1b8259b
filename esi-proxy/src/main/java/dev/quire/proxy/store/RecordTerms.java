package dev.quire.proxy.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The records that are kept.
 *
 * @param maxBytes the longest one
 * @param maxTtl none is kept longer
 * @param lease how long a lease holds
 * @param secret signs them
 */
public record RecordTerms(int maxBytes, Duration maxTtl, Duration lease, Optional<byte[]> secret) {

    /** The length of the longest value: a record and its seal. */
    public int valueBytes() {
        return maxBytes + (secret.isPresent() ? RecordSeal.BYTES : 0);
    }
}
