package dev.quire.proxy.disk;

/** Why a journal may have lost entries, so that stored responses could be ones that were purged. */
public enum JournalLoss {
    /** The journal or its end does not exist. */
    MISSING,
    /** A file cannot be read. */
    UNREADABLE,
    /** It is the journal of another tier. */
    OTHER_TIER,
    /** Another version of Quire wrote it. */
    VERSION,
    /** Its end is not known: the file of the end is damaged, or of another journal. */
    NO_END,
    /** It has fewer bytes than were reported as durable. */
    SHORTER,
    /** An entry does not match its checksum, or is malformed. */
    DAMAGED
}
