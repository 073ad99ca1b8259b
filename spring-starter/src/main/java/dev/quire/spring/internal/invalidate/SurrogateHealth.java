package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.SurrogateAnswer.Denied;
import dev.quire.spring.invalidate.SurrogateAnswer.Done;
import dev.quire.spring.invalidate.SurrogateAnswer.Failed;
import dev.quire.spring.invalidate.SurrogateAnswer.Refused;
import dev.quire.spring.invalidate.SurrogateClient;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of the surrogates: whether they accept invalidations. A failing surrogate does not
 * prevent the application from answering requests, so its status does not affect the overall
 * health.
 */
public record SurrogateHealth(List<SurrogateQueue> queues) implements HealthIndicator {

    static final Status DEGRADED =
            new Status("DEGRADED", "a surrogate does not accept invalidations");

    @Override
    public Health health() {
        var health = Health.up();
        for (var queue : queues) {
            try {
                var said = said(queue.client());
                health.withDetail(queue.name(), said);
                if (!said.equals("reached")) {
                    health.status(DEGRADED);
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return health.unknown().build();
            }
        }
        return health.build();
    }

    private static String said(SurrogateClient client) throws InterruptedException {
        try {
            return switch (client.reach()) {
                case Done done -> "reached";
                case Failed failed -> failed.why();
                case Refused refused -> refused.why();
                case Denied denied -> denied.why();
            };
        } catch (RuntimeException | Error fault) {
            // a custom client may throw anything; the other surrogates are still checked
            return fault.toString();
        }
    }
}
