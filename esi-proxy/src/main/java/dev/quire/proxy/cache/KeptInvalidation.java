package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import java.util.HashSet;
import java.util.Set;

/** The names of an entry that no newer entry has. */
final class KeptInvalidation {
    private final ActiveInvalidation entry;
    private final Set<CacheKey> keys = new HashSet<>();
    private final Set<String> tags = new HashSet<>();
    private final Set<String> hosts = new HashSet<>();

    KeptInvalidation(ActiveInvalidation entry) {
        this.entry = entry;
    }

    void add(PurgedName name) {
        if (name.value() instanceof CacheKey key) {
            keys.add(key);
        } else {
            (name.by().equals(Covered.TAG) ? tags : hosts).add(name.value().toString());
        }
    }

    InvalidationEntry entry() {
        var condition = entry.condition();
        return condition == null
                ? new InvalidationEntry.PurgeEntry(
                        new Purge(keys, tags, hosts, entry.paths()), entry.isSoft(), entry.since())
                : new InvalidationEntry.BanEntry(condition, entry.since());
    }
}
