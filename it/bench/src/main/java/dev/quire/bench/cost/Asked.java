package dev.quire.bench.cost;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

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

    /** Those that {@code arguments} name beside the options; all if they name none. */
    static List<Asked> named(Arguments arguments) throws CannotMeasure {
        var byLabel = new LinkedHashMap<String, Asked>();
        for (var asked : values()) {
            byLabel.put(asked.label(), asked);
        }
        return Arguments.chosen("KIND", arguments.operands(), byLabel);
    }

    /** How figures and arguments call it. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
