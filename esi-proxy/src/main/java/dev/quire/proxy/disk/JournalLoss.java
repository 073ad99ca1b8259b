package dev.quire.proxy.disk;

/** Why a journal may have lost entries, so that stored responses could be ones that were purged. */
public enum JournalLoss {
    /** The journal or its end does not exist. */
    MISSING("its journal of invalidations is missing"),
    /** A file cannot be read. */
    UNREADABLE("its journal of invalidations cannot be read"),
    /** It is the journal of another tier. */
    OTHER_TIER("its journal of invalidations is of another disk tier"),
    /** Another version of Quire wrote it. */
    VERSION("another version of Quire wrote its journal of invalidations"),
    /** Its end is not known: the file of the end is damaged, or of another journal. */
    NO_END("the end of its journal of invalidations is not known"),
    /** It has fewer bytes than were reported as durable. */
    SHORTER("its journal of invalidations has lost its end"),
    /** An entry does not match its checksum, or is malformed. */
    DAMAGED("its journal of invalidations is damaged");

    private final String words;

    JournalLoss(String words) {
        this.words = words;
    }

    /** The reason, in the words of operators, of a tier that is emptied. */
    String words() {
        return words;
    }
}
