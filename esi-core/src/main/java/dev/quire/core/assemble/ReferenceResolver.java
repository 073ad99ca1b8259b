package dev.quire.core.assemble;

import dev.quire.core.policy.CacheKey;
import java.util.Set;

/**
 * Turns the {@code src} of an include into the resource it names (RFC 3986 §5).
 *
 * @param allowedHosts authorities besides the page's own that may be included from, in lower case
 *     and without default port
 */
public record ReferenceResolver(Set<String> allowedHosts) {

    /** Only the page's own authority. */
    public static final ReferenceResolver OWN_AUTHORITY = new ReferenceResolver(Set.of());

    public ReferenceResolver {
        allowedHosts = Set.copyOf(allowedHosts);
    }

    /**
     * The resource {@code src} names when it stands in the document at {@code base}.
     *
     * @param src one char for each byte (ISO 8859-1)
     */
    public Reference resolve(String src, CacheKey base) {
        throw new UnsupportedOperationException();
    }
}
