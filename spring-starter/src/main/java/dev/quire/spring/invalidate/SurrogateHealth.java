package dev.quire.spring.invalidate;

import dev.quire.spring.invalidate.SurrogateAnswer.Done;
import dev.quire.spring.invalidate.SurrogateAnswer.Failed;
import dev.quire.spring.invalidate.SurrogateAnswer.Refused;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether the surrogates can be told something. One that cannot makes the application no worse at
 * answering requests, so the status is one that does not count towards the whole.
 */
record SurrogateHealth(List<Lane> lanes) implements HealthIndicator {

    /** A surrogate cannot be told what has changed. */
    static final Status DEGRADED =
            new Status("DEGRADED", "a surrogate does not accept invalidations");

    @Override
    public Health health() {
        var health = Health.up();
        for (var lane : lanes) {
            try {
                var said = said(lane.client());
                health.withDetail(lane.name(), said);
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
            };
        } catch (RuntimeException | Error fault) {
            // a client of the application's own; the health of the others is to be told too
            return fault.toString();
        }
    }
}
