package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;

/**
 * A request of the assembler to a {@link FragmentSource}.
 *
 * @param key of the fragment
 * @param parent the document that includes it
 * @param depth levels below the page; the page's own fragments are at 1
 * @param terms how it is fetched and read
 * @param mustBeWhole whether it must be delivered as a complete body, however large
 */
public record FragmentRequest(
        CacheKey key, CacheKey parent, int depth, FragmentTerms terms, boolean mustBeWhole) {}
