package dev.quire.proxy.admin;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The endpoints for load balancers, supervisors and monitoring. They change nothing and need no
 * token. Their own listener ignores {@code Host} and answers {@code /} and {@code OPTIONS} as well,
 * which balancers request by default.
 */
final class Probes implements Endpoints {
    private static final String ALLOWED = "GET, HEAD, OPTIONS";
    private static final Set<String> PATHS = Set.of("/", "*", "/readyz", "/healthz", "/metrics");

    private final AdminActions actions;

    Probes(AdminActions actions) {
        this.actions = actions;
    }

    @Override
    public Optional<AdminAnswer> refusal(AdminHead head) {
        if (!List.of(ALLOWED.split(", ")).contains(head.method())) {
            return Optional.of(
                    AdminAnswer.text(405, "405 expected " + ALLOWED, Map.of("allow", ALLOWED)));
        }
        return PATHS.contains(head.path())
                ? Optional.empty()
                : Optional.of(AdminAnswer.text(404, "404 expected /readyz, /healthz or /metrics"));
    }

    @Override
    public AdminAnswer answer(AdminHead head, byte[] body) {
        return switch (head.path()) {
            case "/healthz" -> health();
            case "/metrics" -> metrics();
            default -> readiness();
        };
    }

    AdminAnswer health() {
        return AdminAnswer.text(200, "ok");
    }

    AdminAnswer readiness() {
        return actions.isReady()
                ? AdminAnswer.text(200, "ready")
                : AdminAnswer.text(503, "503 not ready");
    }

    AdminAnswer metrics() {
        return AdminAnswer.of("text/plain; version=0.0.4; charset=utf-8", actions.metrics());
    }

    @Override
    public int maxBodyBytes() {
        return 0;
    }

    @Override
    public OptionalLong delayNanos(long now) {
        return OptionalLong.of(0);
    }
}
