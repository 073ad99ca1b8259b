package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;

/**
 * One fragment to ask for.
 *
 * @param key the fragment
 * @param parent the document that includes it
 * @param depth levels below the page; a fragment of the page itself is at 1
 */
public record FragmentRequest(CacheKey key, CacheKey parent, int depth) {}
