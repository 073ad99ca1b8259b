package dev.quire.proxy.config;

import java.time.Duration;
import java.util.Optional;

/** The text form of durations: {@code 200ms}, {@code 15s}, {@code 5m}, {@code 1h}. */
public final class TimeText {
    private static final ValueParser<Duration> NOTATION = ValueParser.duration(Duration.ZERO);

    private TimeText() {}

    /** Parses a duration of at most one year; returns nothing if it is not valid. */
    public static Optional<Duration> read(String text) {
        return NOTATION.reading().apply(text);
    }

    /** Formats whole milliseconds in the largest unit that is exact. */
    public static String write(Duration duration) {
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
