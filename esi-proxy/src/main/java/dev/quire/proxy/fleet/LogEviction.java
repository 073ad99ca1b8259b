package dev.quire.proxy.fleet;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs whether the store may remove the log of the fleet, whenever that changes. Thread-safe. */
public final class LogEviction {
    private final Logger log;
    private Optional<String> known = Optional.empty();

    public LogEviction() {
        this(LoggerFactory.getLogger(LogEviction.class));
    }

    LogEviction(Logger log) {
        this.log = log;
    }

    /** Looks at the store of {@code overview}. */
    public synchronized void see(FleetOverview overview) {
        var eviction = overview.eviction();
        if (overview.policy().isEmpty() || eviction.equals(known)) {
            return;
        }
        known = eviction;
        if (eviction.isEmpty()) {
            log.atInfo()
                    .addKeyValue("event", "fleet-kept")
                    .log("fleet: the store does not remove the log of invalidations any longer");
        } else {
            log.atWarn()
                    .addKeyValue("event", "fleet-evictable")
                    .log(
                            "fleet: the store may remove the log of invalidations when its memory"
                                    + " is full: maxmemory-policy is {} (expected noeviction or"
                                    + " volatile-*)",
                            eviction.get());
        }
    }
}
