package dev.quire.proxy.disk;

/** Names a record: 128 bits of a hash. */
public record RecordId(long high, long low) {}
