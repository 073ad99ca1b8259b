package dev.quire.proxy.cache;

/**
 * A position in a sequence of {@link Invalidations}: no entry up to it covers the response.
 *
 * @param epoch names the sequence
 * @param number of the entry
 */
public record RecordPosition(long epoch, long number) {}
