package dev.quire.proxy.fleet;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Why the log of the fleet cannot be read. Each fault is logged once. Thread-safe. */
final class LogFaults {
    private static final Logger LOG = LoggerFactory.getLogger(LogFaults.class);

    private volatile @Nullable String ofReads = "not connected yet";
    private volatile @Nullable String ofMessages;

    /** In the words of operators; null if the log can be read. */
    @Nullable String present() {
        var reads = ofReads;
        return reads == null ? ofMessages : reads;
    }

    /** The log cannot be read. */
    void read(String event, String reason) {
        if (!reason.equals(ofReads)) {
            ofReads = reason;
            LOG.atWarn()
                    .addKeyValue("event", event)
                    .log("fleet: the log of invalidations cannot be used: {}", reason);
        }
    }

    /** The log is read up to {@code id}. */
    void endOfReads(long id) {
        if (ofReads != null) {
            ofReads = null;
            LOG.atInfo()
                    .addKeyValue("event", "fleet-usable")
                    .log("fleet: the log of invalidations is read up to {}", LogId.text(id));
        }
    }

    /** Messages of the other nodes arrive, if {@code reason} is null, or they do not. */
    void messages(@Nullable String reason) {
        if (reason != null && !reason.equals(ofMessages)) {
            LOG.atWarn()
                    .addKeyValue("event", "fleet-messages-fail")
                    .log(
                            "fleet: messages of the other nodes do not arrive, and each"
                                    + " invalidation takes up to a second: {}",
                            reason);
        }
        ofMessages = reason;
    }
}
