package dev.quire.bench.cost;

import dev.quire.bench.Arguments;
import dev.quire.bench.CannotMeasure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;

/** The kinds of requests that are measured. */
enum Asked {
    /** A stored object of 1 KiB. */
    HIT("/object", "", 1, true),

    /** The same behind ten rules that do not match. */
    RULED(
            "/object",
            "Cookie: group=Advanced; region=ZH; age=21\r\nUser-Agent: Firefox/140.0\r\n",
            1,
            true),

    /** A page of 16 KiB and ten stored fragments of 1 KiB. */
    PAGE("/page", "", 2 * Site.FRAGMENTS + 1, true),

    /** The same in gzip. */
    GZIP("/page", "Accept-Encoding: gzip\r\n", 2 * Site.FRAGMENTS + 1, true),

    /** The same with one more fragment, which is private and fetched for each request. */
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

    /** The number of buffers of the response body. */
    int pieces() {
        return pieces;
    }

    /** Whether all of it is stored, so that no request reaches the origin. */
    boolean isStored() {
        return isStored;
    }

    boolean isGzip() {
        return this == GZIP;
    }

    /** Whether it is requested from a site with rules. */
    boolean isRuled() {
        return this == RULED;
    }

    /** Returns the head of a request without the final empty line. */
    String requestHead(String authority) {
        return "GET " + target + " HTTP/1.1\r\nHost: " + authority + "\r\n" + lines;
    }

    /** Returns the kinds among the operands of {@code arguments}, or all if there are none. */
    static List<Asked> named(Arguments arguments) throws CannotMeasure {
        var byLabel = new LinkedHashMap<String, Asked>();
        for (var asked : values()) {
            byLabel.put(asked.label(), asked);
        }
        return Arguments.chosen("KIND", arguments.operands(), byLabel);
    }

    /** The name in figures and arguments. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
