package dev.quire.bench.cost;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What clients ask the site for, in all of which the proxy's speed shows. */
enum Asked {
    /** A stored object of 1 KiB. */
    HIT("/object", "", 1, true),

    /** A page of 16 KiB and ten stored fragments of 1 KiB. */
    PAGE("/page", "", 2 * Site.FRAGMENTS + 1, true),

    /** The same in gzip. */
    GZIP("/page", "Accept-Encoding: gzip\r\n", 2 * Site.FRAGMENTS + 1, true),

    /** The same with one fragment more, which is the client's own and asked for each time. */
    PRIVATE("/own-page", "Cookie: user=7\r\n", 2 * Site.FRAGMENTS + 3, false);

    private final String target;
    private final String lines;
    private final int pieces;
    private final boolean isStored;

    Asked(String target, String lines, int pieces, boolean isStored) {
        this.target = target;
        this.lines = lines;
        this.pieces = pieces;
        this.isStored = isStored;
    }

    String target() {
        return target;
    }

    /** How many pieces of memory its body lies in. */
    int pieces() {
        return pieces;
    }

    /** Whether all of it is stored, so that no origin is asked. */
    boolean isStored() {
        return isStored;
    }

    boolean isGzip() {
        return this == GZIP;
    }

    /** The head of a request, but for its end. */
    String requestHead(String authority) {
        return "GET " + target + " HTTP/1.1\r\nHost: " + authority + "\r\n" + lines;
    }

    /** The one that figures and options call {@code label}, if there is one. */
    static Optional<Asked> labelled(String label) {
        return Arrays.stream(values()).filter(asked -> asked.label().equals(label)).findFirst();
    }

    /** How figures and options call it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
