package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The names of an entry that no newer entry has. */
final class KeptInvalidation {
    private final ActiveInvalidation entry;
    private final Set<CacheKey> keys = new HashSet<>();
    private final Set<String> tags = new HashSet<>();
    private final Set<String> hosts = new HashSet<>();

    private KeptInvalidation(ActiveInvalidation entry) {
        this.entry = entry;
    }

    /** Returns those newer than {@code oldest}; both maps may change meanwhile. */
    static List<InvalidationState.Numbered> all(
            Map<PurgedName, ActiveInvalidation> names,
            NavigableMap<Long, ActiveInvalidation> conditions,
            long oldest) {
        var kept = new TreeMap<Long, KeptInvalidation>();
        names.forEach((name, entry) -> {
            if (entry.number() > oldest) {
                kept.computeIfAbsent(entry.number(), number -> new KeptInvalidation(entry))
                        .add(name);
            }
        });
        for (var entry : conditions.tailMap(oldest, false).values()) {
            kept.computeIfAbsent(entry.number(), number -> new KeptInvalidation(entry));
        }
        return kept.entrySet().stream()
                .map(each -> new InvalidationState.Numbered(each.getKey(), each.getValue().entry()))
                .toList();
    }

    private void add(PurgedName name) {
        if (name.value() instanceof CacheKey key) {
            keys.add(key);
        } else {
            (name.by().equals(Covered.TAG) ? tags : hosts).add(name.value().toString());
        }
    }

    private InvalidationEntry entry() {
        var condition = entry.condition();
        return condition == null
                ? new InvalidationEntry.PurgeEntry(
                        new Purge(keys, tags, hosts, entry.paths()), entry.isSoft(), entry.since())
                : new InvalidationEntry.BanEntry(condition, entry.since());
    }
}
