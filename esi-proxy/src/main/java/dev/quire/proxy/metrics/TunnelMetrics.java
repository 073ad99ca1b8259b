package dev.quire.proxy.metrics;

import dev.quire.proxy.exchange.Tunnels;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;

/** The metrics of tunnels. */
final class TunnelMetrics {

    private TunnelMetrics() {}

    /**
     * Registers the numbers of {@code tunnels}; once.
     *
     * @param tunnels kept by the caller, since the registry does not
     */
    static void register(Tunnels tunnels, MeterRegistry registry) {
        Gauge.builder("quire.tunnels", tunnels, Tunnels::open)
                .description("WebSockets that are open or asked for")
                .register(registry);
        bytes(tunnels, "to-client", Tunnels::bytesToClients, registry);
        bytes(tunnels, "to-origin", Tunnels::bytesToOrigins, registry);
    }

    private static void bytes(
            Tunnels tunnels,
            String direction,
            ToDoubleFunction<Tunnels> bytes,
            MeterRegistry registry) {
        FunctionCounter.builder("quire.tunnel.bytes", tunnels, bytes)
                .description("bytes passed through WebSockets")
                .tag("direction", direction)
                .register(registry);
    }
}
