package dev.quire.bench.kill;

import java.util.regex.Pattern;

/**
 * A change that must hold for later processes.
 *
 * @param version all versions up to it have been banned, or removed
 */
record TierReport(int tier, Kind kind, int record, long version) {
    /** The first line: all tiers are open. */
    static final String READY = "ready";

    private static final Pattern LINE = Pattern.compile("(\\d+) (BANNED|REMOVED) (\\d+) (\\d+)");

    enum Kind {
        /** Durable, whatever happens to the files. */
        BANNED,
        /** Durable as long as the files are not damaged. */
        REMOVED
    }

    String line() {
        return "%d %s %d %d".formatted(tier, kind, record, version);
    }

    static TierReport read(String line) {
        var read = LINE.matcher(line);
        if (!read.matches()) {
            throw new IllegalArgumentException("expected a report, found '" + line + "'");
        }
        return new TierReport(
                Integer.parseInt(read.group(1)),
                Kind.valueOf(read.group(2)),
                Integer.parseInt(read.group(3)),
                Long.parseLong(read.group(4)));
    }
}
