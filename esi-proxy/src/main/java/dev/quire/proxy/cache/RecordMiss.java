package dev.quire.proxy.cache;

/** Why bytes are not the record of a wanted response. */
enum RecordMiss implements RecordHeader.Reading, RecordCodec.Reading {
    /** Another version of Quire wrote it. */
    SCHEMA,
    /** It is the record of another resource, or of another configuration. */
    KEY,
    /** The request has other values of the selecting fields. */
    VARIANT,
    /** Its position in the sequence of invalidations is not known. */
    POSITION,
    /** A checksum does not match. */
    CHECKSUM,
    /** It is not a record, or its values contradict each other. */
    MALFORMED
}
