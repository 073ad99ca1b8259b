package dev.quire.proxy.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Streams of HTTP/2, and how they and their connections were ended early. Thread-safe. */
public final class Http2Metrics {

    /** The reason of a reset with an error code that RFC 9113 does not define. */
    private enum Unknown {
        UNKNOWN
    }

    private final LongAdder streams;
    private final EnumCounter clientResets;
    private final EnumCounter ownResets;
    private final EnumCounter goAways;

    Http2Metrics(MeterRegistry registry) {
        this.streams =
                Metrics.adder(
                        registry,
                        List.of("quire.http2.streams"),
                        "requests of HTTP/2, refused ones included",
                        Tags.empty());
        this.clientResets = resets(registry, "client");
        this.ownResets = resets(registry, "server");
        this.goAways =
                new EnumCounter(
                        registry,
                        List.of("quire.http2.goaways"),
                        "reason",
                        "connections of HTTP/2 that were ended with GOAWAY, by reason",
                        Tags.empty());
    }

    private static EnumCounter resets(MeterRegistry registry, String by) {
        return new EnumCounter(
                registry,
                List.of("quire.http2.resets"),
                "reason",
                "streams of HTTP/2 that were reset, by the side that did it and the error code",
                Tags.of("by", by));
    }

    /** Registers reasons as zero. */
    public void showGoAways(Enum<?>... reasons) {
        goAways.register(reasons);
    }

    /** Registers the error codes of {@link #reset} as zero. */
    public void showResets(Enum<?>... errors) {
        for (var by : List.of(clientResets, ownResets)) {
            by.register(errors);
            by.register(Unknown.UNKNOWN);
        }
    }

    public void opened() {
        streams.increment();
    }

    /**
     * Counts a reset.
     *
     * @param error null if it is unknown
     */
    public void reset(boolean byClient, @Nullable Enum<?> error) {
        (byClient ? clientResets : ownResets).increment(error == null ? Unknown.UNKNOWN : error);
    }

    public void goAway(Enum<?> reason) {
        goAways.increment(reason);
    }
}
