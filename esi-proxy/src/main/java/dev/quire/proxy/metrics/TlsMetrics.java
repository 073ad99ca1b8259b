package dev.quire.proxy.metrics;

import dev.quire.proxy.tls.ServerCertificate;
import dev.quire.proxy.tls.TlsEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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
        this.expiry =
                MultiGauge.builder("quire.tls.certificate.expiry.seconds")
                        .description("the end of a certificate, in seconds since 1970")
                        .register(registry);
    }

    @Override
    public void handshake(Handshake result, String version) {
        handshakes
                .computeIfAbsent(
                        List.of(result.name().toLowerCase(Locale.ROOT).replace('_', '-'), version),
                        labels ->
                                Counter.builder("quire.tls.handshakes")
                                        .description("handshakes with clients")
                                        .tag("result", labels.getFirst())
                                        .tag("version", labels.getLast())
                                        .register(registry))
                .increment();
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
