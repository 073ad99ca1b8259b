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
}
