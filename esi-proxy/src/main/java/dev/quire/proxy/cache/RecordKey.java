package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.policy.CacheKey;

/**
 * The key of the records of one resource. Two configurations, or two versions of Quire, that store
 * its responses differently have different keys.
 *
 * @param route the {@link StorageFingerprint} of its route
 * @param hash of the resource, the format and the fingerprint of its route
 */
record RecordKey(CacheKey resource, RecordHash route, RecordHash hash) {

    static RecordKey of(CacheKey resource, RecordHash route) {
        var sum =
                new RecordHash.Sum()
                        .add(RecordHeader.SCHEMA)
                        .add(CompiledPageBytes.format())
                        .add(route)
                        .add(resource.scheme().text())
                        .add(resource.authority())
                        .add(resource.target());
        for (var part : resource.parts()) {
            sum.add(part.rule()).add(part.value());
        }
        return new RecordKey(resource, route, sum.hash());
    }
}
