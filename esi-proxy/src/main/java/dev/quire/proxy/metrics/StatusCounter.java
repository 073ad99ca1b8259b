package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A counter labelled with the status class, {@code 1xx} to {@code 5xx}. */
final class StatusCounter {
    static final int CLASSES = 6;

    private final LongAdder[] classes = new LongAdder[CLASSES];

    StatusCounter(MeterRegistry registry, String name, String description, Tags tags) {
        for (int i = 0; i < CLASSES; i++) {
            classes[i] =
                    Metrics.adder(
                            registry, List.of(name), description, tags.and("status", label(i)));
        }
    }

    void increment(int status) {
        classes[classOf(status)].increment();
    }

    /** 1 to 5, or 0 if it is not a status, for example after an early client disconnect. */
    static int classOf(int status) {
        return status < 100 || status > 599 ? 0 : status / 100;
    }

    static String label(int statusClass) {
        return statusClass == 0 ? "none" : statusClass + "xx";
    }
}
