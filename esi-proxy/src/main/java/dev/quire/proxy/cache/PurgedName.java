package dev.quire.proxy.cache;

import dev.quire.core.policy.CacheKey;

/**
 * A name in purges.
 *
 * @param by how its responses are counted, which tells the kinds of names apart
 */
record PurgedName(Covered by, Object value, boolean isSoft) {

    long heapBytes() {
        return value instanceof CacheKey key
                ? Footprint.key(key)
                : Footprint.KEY_BYTES + Footprint.string(value.toString());
    }
}
