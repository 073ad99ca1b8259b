package dev.quire.proxy.listen;

import io.netty.util.AsciiString;

/**
 * Names of fields with their hashes, which Netty computes anew for every look-up by a String. Holds
 * the last name for each of a fixed number of places. Thread-safe.
 */
final class HashedNames {
    private static final int PLACES = 1024;
    private static final int MAX_LENGTH = 64;

    private final AsciiString[] names = new AsciiString[PLACES];

    /** Returns {@code name}, or an equal sequence with a hash. */
    CharSequence of(String name) {
        int place = name.hashCode() & (PLACES - 1);
        // A race costs one more object: AsciiString is safe to publish without synchronization.
        var known = names[place];
        if (known != null && name.equals(known.toString())) {
            return known;
        }
        var hashed = new AsciiString(name);
        if (name.length() > MAX_LENGTH || !hashed.contentEquals(name)) {
            return name;
        }
        names[place] = hashed;
        return hashed;
    }
}
