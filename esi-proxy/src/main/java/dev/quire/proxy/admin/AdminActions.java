package dev.quire.proxy.admin;

import dev.quire.core.policy.CacheKey;
import dev.quire.proxy.cache.Ban;
import dev.quire.proxy.cache.BanCondition;
import dev.quire.proxy.cache.Covered;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/** What the admin port can ask of the proxy. Called on virtual threads, so it may wait. */
public interface AdminActions {

    /** Whether requests are welcome: not while starting or draining. */
    boolean isReady();

    /** All metrics as Prometheus text. */
    String metrics();

    /** Invalidates; once it returns no request is answered with what it met. */
    Covered purge(PurgeRequest request);

    /**
     * Hides what is stored; once it returns no request is answered with what it met.
     *
     * @return the ban's number, or nothing if there are too many
     */
    OptionalLong ban(BanCondition condition);

    /** How many stored responses a ban would hide. */
    long wouldHide(BanCondition condition);

    /** The bans that stand and the last completed ones, newest first. */
    List<Ban> bans();

    /** The present, on the clock of bans. */
    Instant now();

    /** Takes a ban back: what it has hidden stays hidden. False if it does not stand. */
    boolean liftBan(long id);

    /** The proxy's state in numbers. */
    Stats stats();

    /** What is stored under {@code key}; empty if nothing is. */
    List<StoredVariant> stored(CacheKey key);
}
