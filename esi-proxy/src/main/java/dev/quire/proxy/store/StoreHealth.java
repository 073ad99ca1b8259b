package dev.quire.proxy.store;

import dev.quire.proxy.exchange.Time;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The present fault of the store. Logs each change once. Thread-safe, by its own lock. */
public final class StoreHealth {
    private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

    /** A write ends no younger fault, so that the log does not repeat it for each request. */
    private static final long LEAST_NANOS = 10 * Time.NANOS_A_SECOND;

    private @Nullable StoreFault fault;
    private long since;

    /** The present fault, or nothing. */
    public synchronized Optional<String> failure() {
        return Optional.ofNullable(fault).map(StoreFault::toString);
    }

    /** Notes a fault. */
    public synchronized void fails(StoreFault now) {
        // A fault that the server has named explains the others.
        boolean isExplained = fault != null && fault.isOutage() && !fault.kind().isEmpty();
        if (now.isSameKind(fault) || (isExplained && now.kind().isEmpty())) {
            return;
        }
        fault = now;
        since = System.nanoTime();
        LOG.atWarn()
                .addKeyValue("event", "shared-store-fails")
                .log("{} (expected {})", now.what(), now.expected());
    }

    /** A record was written: whatever an error has named is over, unless it is a new one. */
    public synchronized void writes() {
        if (fault != null && System.nanoTime() - since > LEAST_NANOS) {
            works();
        }
    }

    /** A connection was made, or a call has its reply. */
    public synchronized void answers() {
        if (fault != null && fault.endsByAReply()) {
            works();
        }
    }

    private void works() {
        if (fault != null) {
            fault = null;
            LOG.atInfo().addKeyValue("event", "shared-store-works").log("the store works again");
        }
    }
}
