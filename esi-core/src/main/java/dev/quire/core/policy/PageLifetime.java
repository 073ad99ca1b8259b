package dev.quire.core.policy;

/**
 * The lifetime of an assembled page for clients: at most what every part allows, and what was known
 * when the head was sent.
 */
public final class PageLifetime {
    private PageLifetime() {}

    /**
     * Whether the head must wait for every fragment: only if {@code page} itself lets a client
     * reuse it without validation, since fragments then shorten that.
     */
    public static boolean needsAllParts(ClientLifetime page) {
        return page.isReusable();
    }

    /**
     * Returns the permissions of a client for the page.
     *
     * @param page the permissions from the page's own fields
     * @param parts the combined permissions of the fragments known so far; {@link
     *     ClientLifetime#UNRESTRICTED} without any
     * @param anyPrivateOrUnstored whether a part is, or may be, for one client or not stored
     * @param anyOmitted whether a fragment failed without a replacement
     */
    public static ClientLifetime of(
            ClientLifetime page,
            ClientLifetime parts,
            boolean anyPrivateOrUnstored,
            boolean anyOmitted) {
        var all = page.and(parts);
        return new ClientLifetime(
                all.noStore() || anyOmitted,
                all.isPublic(),
                all.isPrivate() || anyPrivateOrUnstored,
                all.mustRevalidate(),
                all.reusableNanos());
    }

    /** Returns the {@code Cache-Control} for {@link #of}. */
    public static String cacheControl(
            ClientLifetime page,
            ClientLifetime parts,
            boolean anyPrivateOrUnstored,
            boolean anyOmitted) {
        return of(page, parts, anyPrivateOrUnstored, anyOmitted).cacheControl();
    }

    /**
     * Whether the complete page may have an entity tag: only if it is the same for all clients and
     * they may store it.
     */
    public static boolean mayHaveTag(ClientLifetime whole) {
        return !whole.isPrivate() && !whole.noStore();
    }
}
