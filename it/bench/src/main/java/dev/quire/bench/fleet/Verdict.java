package dev.quire.bench.fleet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The findings in a history.
 *
 * @param violations reads that break a promise; absent if there are none
 * @param examples some of them, in words
 * @param delays in nanoseconds, ascending, as {@link Delays} returns them
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record Verdict(
        long reads,
        long purges,
        Map<Promise, Long> violations,
        List<String> examples,
        long[] delays) {
    private static final int MOST_EXAMPLES = 5;

    public Verdict {
        violations = Map.copyOf(violations);
        examples = List.copyOf(examples);
    }

    /** Returns the number of reads that break {@code promise}. */
    public long violations(Promise promise) {
        return violations.getOrDefault(promise, 0L);
    }

    boolean isSound() {
        return violations.isEmpty();
    }

    /** Returns a percentile of the delays; 0 if there are none. */
    public double delayMillis(double percent) {
        if (delays.length == 0) {
            return 0;
        }
        int at = (int) Math.ceil(percent / 100 * delays.length) - 1;
        return delays[Math.max(0, at)] / 1e6;
    }

    /** The number of delays above {@code millis}. */
    long delaysAbove(double millis) {
        return Arrays.stream(delays).filter(delay -> delay > millis * 1e6).count();
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        text.append("%,d reads, %,d purges%n".formatted(reads, purges));
        for (var promise : Promise.values()) {
            text.append(
                    "%s %-10s %,d violations%n"
                            .formatted(
                                    promise,
                                    promise.name().toLowerCase(Locale.ROOT),
                                    violations(promise)));
        }
        text.append(
                "stale on another node after a purge with ack log, without disturbance: %,d pairs, p50 %.1f, p99 %.1f, max %.1f ms, %,d above 100 ms%n"
                        .formatted(
                                delays.length,
                                delayMillis(50),
                                delayMillis(99),
                                delayMillis(100),
                                delaysAbove(100)));
        examples.forEach(example -> text.append("  ").append(example).append('\n'));
        return text.toString().stripTrailing();
    }

    /** Collects violations. */
    static final class Builder {
        private final Map<Promise, Long> counts = new EnumMap<>(Promise.class);
        private final List<String> examples = new ArrayList<>();

        /**
         * Counts one.
         *
         * @param text calculated only if it is an example
         */
        void violation(Promise promise, Supplier<String> text) {
            long count = counts.merge(promise, 1L, Long::sum);
            if (count <= MOST_EXAMPLES) {
                examples.add(promise + ": " + text.get());
            }
        }

        Verdict verdict(long reads, long purges, long[] delays) {
            return new Verdict(reads, purges, counts, examples, delays);
        }
    }
}
