package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;

/**
 * What the assembler asks a {@link FragmentSource} for.
 *
 * @param key of the fragment
 * @param parent of the document that includes it
 * @param depth levels below the page; the page's own fragments are at 1
 * @param terms how it is to be fetched and read
 * @param mustBeWhole whether it has to come whole, however large: it must not flow
 */
public record FragmentRequest(
        CacheKey key, CacheKey parent, int depth, FragmentTerms terms, boolean mustBeWhole) {}
