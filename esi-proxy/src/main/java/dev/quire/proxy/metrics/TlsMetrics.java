package dev.quire.proxy.metrics;

import dev.quire.proxy.tls.ServerCertificate;
import dev.quire.proxy.tls.TlsEvents;
import dev.quire.proxy.tls.TlsTerms;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The metrics of TLS with clients. Thread-safe. */
public final class TlsMetrics implements TlsEvents {
    private final MeterRegistry registry;
    private final EnumCounter reloads;
    private final MultiGauge expiry;
    private final Map<List<String>, Counter> handshakes = new ConcurrentHashMap<>();

    TlsMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.reloads =
                new EnumCounter(
                        registry,
                        List.of("quire.tls.reloads"),
                        "result",
                        "changed certificates that were read, by result",
                        Tags.empty());
        reloads.register(Reload.values());
        for (var version : TlsTerms.Version.values()) {
            counter(Handshake.COMPLETED, version.protocol());
        }
        for (var result : EnumSet.complementOf(EnumSet.of(Handshake.COMPLETED))) {
            counter(result, TlsEvents.NO_VERSION);
        }
        this.expiry =
                MultiGauge.builder("quire.tls.certificate.expiry.seconds")
                        .description("the end of a certificate, in seconds since 1970")
                        .register(registry);
    }

    @Override
    public void handshake(Handshake result, String version) {
        counter(result, version).increment();
    }

    private Counter counter(Handshake result, String version) {
        return handshakes.computeIfAbsent(
                List.of(EnumCounter.label(result), version),
                labels ->
                        Counter.builder("quire.tls.handshakes")
                                .description("handshakes with clients")
                                .tag("result", labels.getFirst())
                                .tag("version", labels.getLast())
                                .register(registry));
    }

    @Override
    public void reloaded(Reload result) {
        reloads.increment(result);
    }

    @Override
    public void using(Collection<ServerCertificate> certificates) {
        expiry.register(
                certificates.stream()
                        .map(each ->
                                MultiGauge.Row.of(
                                        Tags.of(
                                                "certificate",
                                                each.name(),
                                                "kind",
                                                each.kind(),
                                                "file",
                                                each.file().toString()),
                                        each.notAfter().getEpochSecond()))
                        .toList(),
                true);
    }
}
