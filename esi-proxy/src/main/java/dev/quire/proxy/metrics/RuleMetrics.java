package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts how often each rule of the configuration was applied, or failed. Thread-safe. */
public final class RuleMetrics {

    /** The result of a rule for one request or response. */
    public enum Result {
        APPLIED,
        /** Its condition or a template had no value for the request. */
        FAILED,
        /** Its rate was exceeded, or the credentials were not accepted. */
        REFUSED
    }

    private record Key(String rule, Result result) {}

    private final MeterRegistry registry;
    private final Map<Key, LongAdder> counters = new ConcurrentHashMap<>();

    RuleMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Shows the counters of {@code rule} from now on. */
    public void show(String rule) {
        for (var result : Result.values()) {
            counter(new Key(rule, result));
        }
    }

    /** Counts rules that were applied, and rules that have failed. */
    public void count(List<String> applied, List<String> failed) {
        for (var rule : applied) {
            counter(new Key(rule, Result.APPLIED)).increment();
        }
        for (var rule : failed) {
            counter(new Key(rule, Result.FAILED)).increment();
        }
    }

    /** Counts a request that {@code rule} has refused by a rate limit or a login. */
    public void refused(String rule) {
        counter(new Key(rule, Result.REFUSED)).increment();
    }

    private LongAdder counter(Key key) {
        var known = counters.get(key);
        return known != null ? known : counters.computeIfAbsent(key, this::registered);
    }

    private LongAdder registered(Key key) {
        var count = new LongAdder();
        FunctionCounter.builder("quire.rules", count, LongAdder::sum)
                .description(
                        "requests and responses to which a rule was applied, on which it failed, or"
                                + " which its limit or login refused")
                .tags(Tags.of("rule", key.rule(), "result", EnumCounter.label(key.result())))
                .register(registry);
        return count;
    }
}
