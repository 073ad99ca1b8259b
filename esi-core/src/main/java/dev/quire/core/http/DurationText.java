package dev.quire.core.http;

import java.time.Duration;

/** The text form of durations in messages, as in the configuration: {@code 200ms}, {@code 15s}. */
public final class DurationText {
    private DurationText() {}

    /** Formats whole milliseconds in the largest unit that is exact. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 60 != 0 || seconds == 0) {
            return seconds + "s";
        }
        return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "m";
    }
}
