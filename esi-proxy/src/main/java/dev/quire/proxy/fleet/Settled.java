package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.Durability;
import java.util.Optional;

/**
 * The outcome of the invalidations so far.
 *
 * @param fleet empty without a fleet
 */
public record Settled(Durability durability, Optional<Acknowledged> fleet) {

    /** Whether they are durable, and have come as far as it was wanted. */
    public boolean isComplete() {
        return durability == Durability.DURABLE && fleet.map(Acknowledged::isComplete).orElse(true);
    }
}
