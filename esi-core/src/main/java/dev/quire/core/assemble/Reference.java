package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;

/** The target of an include, resolved against the document that contains it. */
public sealed interface Reference {

    /** A resource that may be requested. */
    record Allowed(CacheKey key) implements Reference {
        @Override
        public int length() {
            return key.target().length();
        }
    }

    /**
     * A resource that must not be requested or looked up.
     *
     * @param why for the log
     */
    record Denied(String why) implements Reference {
        @Override
        public int length() {
            return why.length();
        }
    }

    /** Returns the number of characters it holds on the heap. */
    int length();
}
