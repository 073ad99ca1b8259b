package dev.quire.proxy.cache;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.Set;

/**
 * An entry of the {@link Invalidations}: a plain value that keeps each condition as it was given.
 * Times are monotonic.
 */
public sealed interface InvalidationEntry {

    /** When it was made. */
    Instant since();

    /**
     * Returns an entry without an age that covers at least the same responses: a soft purge becomes
     * a hard one, and a ban covers responses of any age. For an entry of another process if the
     * wall clock was set back in between.
     */
    default InvalidationEntry ofAnyAge() {
        return switch (this) {
            case PurgeEntry(var purge, var isSoft, var since) ->
                    new PurgeEntry(purge, false, since);
            case BanEntry(var condition, var since) -> new BanEntry(condition.ofAnyAge(), since);
            case UrlEntry url -> url;
            case GroupsEntry groups -> groups;
            case LiftEntry lift -> lift;
        };
    }

    /**
     * A purge by an operator.
     *
     * @param isSoft whether it makes responses stale instead of hiding them
     */
    record PurgeEntry(Purge purge, boolean isSoft, Instant since) implements InvalidationEntry {}

    /** The success of an unsafe request for a URL (RFC 9111 §4.4). */
    record UrlEntry(CacheKey url, Instant since) implements InvalidationEntry {}

    /**
     * The success of an unsafe request that named groups of its origin (RFC 9875 §3).
     *
     * @param authority as in {@link CacheKey}
     */
    record GroupsEntry(Scheme scheme, String authority, Set<String> names, Instant since)
            implements InvalidationEntry {

        public GroupsEntry {
            names = Set.copyOf(names);
        }
    }

    /** A ban, replacing an earlier one on the same condition. */
    record BanEntry(BanCondition condition, Instant since) implements InvalidationEntry {}

    /**
     * The end of a ban.
     *
     * @param ban its number; 0 for none: then it has no effect
     */
    record LiftEntry(long ban, Instant since) implements InvalidationEntry {}
}
