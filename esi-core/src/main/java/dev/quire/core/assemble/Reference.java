package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;

/** Where an include points, once resolved against the document that holds the tag. */
public sealed interface Reference {

    /** A resource that may be asked for. */
    record Allowed(CacheKey key) implements Reference {
        @Override
        public int length() {
            return key.target().length();
        }
    }

    /**
     * A resource that must not be asked for; nothing is ever sent or looked up for it.
     *
     * @param why for the log
     */
    record Denied(String why) implements Reference {
        @Override
        public int length() {
            return why.length();
        }
    }

    /** How many characters of its own it keeps. */
    int length();
}
