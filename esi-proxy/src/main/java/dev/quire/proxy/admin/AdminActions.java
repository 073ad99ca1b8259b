package dev.quire.proxy.admin;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Covered;
import dev.quire.proxy.fleet.Ack;
import dev.quire.proxy.fleet.Settled;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The operations of the admin API on the proxy. Called on virtual threads; may block. */
public interface AdminActions {

    /** Whether the proxy is ready for requests; false while it starts or drains. */
    boolean isReady();

    /** Returns all metrics as Prometheus text. */
    String metrics();

    /**
     * Purges. After it returns, no request is answered with a matching stored response.
     *
     * @return how many responses match, or empty if they shall not be counted
     */
    Optional<Covered> purge(PurgeRequest request);

    /**
     * Bans. After it returns, no request is answered with a stored response that matches.
     *
     * @return the ban's number, or nothing if there are too many bans
     */
    OptionalLong ban(BanCondition condition);

    /** The number of stored responses a ban would hide. */
    long wouldHide(BanCondition condition);

    /** The active bans and the last completed ones, newest first. */
    List<Ban> bans();

    /** The current time on the clock of bans. */
    Instant now();

    /** Lifts a ban. Returns false if it is not active, or completed. */
    boolean liftBan(long id);

    /**
     * Waits until all invalidations so far outlive the process and have come as far in the fleet as
     * {@code wanted}, or cannot, or for a moment.
     *
     * @param wanted empty for what the fleet waits for by default
     */
    Settled settled(Optional<Ack> wanted);

    /** Asks the store of the fleet for its state; empty without a fleet. */
    Optional<FleetState> fleet();

    /** Returns a snapshot of the proxy's state. */
    Stats stats();

    /** The state of the storage tiers. */
    Tiers tiers();

    /** Changes the disk tier. Returns why it cannot be changed, or nothing. */
    Optional<String> changeDisk(Tiers.Change change);

    /** The operations on the configuration. */
    ConfigurationActions configurations();

    /** The certificates of this proxy that are in use; empty without TLS. */
    List<ShownCertificate> certificates();

    /**
     * Reads the files of certificates and ticket keys again and uses those that have changed.
     *
     * @return why some cannot be used, one line each; what was in use before stays
     */
    List<String> reloadCertificates();

    /** Stops the process once the requests in progress have ended. Returns at once. */
    void drain();

    /** Offers the listening sockets to a new process, which then replaces this one. */
    HandoverReply handOver();

    /** Whether another process has replaced this one, which drains. */
    boolean isReplaced();

    /**
     * Returns the variants that a purge of {@code url} would drop, those in memory first; empty if
     * there are none.
     */
    List<StoredVariant> stored(CacheKey url);
}
