package dev.quire.proxy.redis;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The present fault of the store. Logs each change once. Thread-safe, by its own lock. */
final class StoreHealth {
    private static final Logger LOG = LoggerFactory.getLogger(RedisRecords.class);

    private @Nullable StoreFault fault;

    synchronized Optional<String> failure() {
        return Optional.ofNullable(fault).map(StoreFault::toString);
    }

    synchronized void fails(StoreFault now) {
        // A fault that the server has named explains the others.
        boolean isExplained = fault != null && fault.isOutage() && !fault.kind().isEmpty();
        if (now.isSameKind(fault) || (isExplained && now.kind().isEmpty())) {
            return;
        }
        fault = now;
        LOG.atWarn()
                .addKeyValue("event", "shared-store-fails")
                .log("{} (expected {})", now.what(), now.expected());
    }

    synchronized void works() {
        if (fault != null) {
            fault = null;
            LOG.atInfo().addKeyValue("event", "shared-store-works").log("the store works again");
        }
    }
}
