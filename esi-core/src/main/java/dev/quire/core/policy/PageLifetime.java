package dev.quire.core.policy;

/**
 * What the client is told about keeping an assembled page: never more than every part of it allows,
 * and never more than was known when the head left.
 */
public final class PageLifetime {
    private PageLifetime() {}

    /**
     * Whether the head must wait for every fragment: only if {@code page} by itself lets a client
     * reuse it without asking, for then the fragments shorten what is said.
     */
    public static boolean needsAllParts(ClientLifetime page) {
        return page.isReusable();
    }

    /**
     * What a client may do with the page.
     *
     * @param page what the page's own fields say
     * @param parts what its fragments say together, as far as they are known; {@link
     *     ClientLifetime#UNRESTRICTED} without any
     * @param anyPrivateOrUnstored whether a part is for one reader or not kept by us, or may turn
     *     out to be
     * @param anyOmitted whether a fragment failed and nothing stands in its place
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

    /** The {@code Cache-Control} that says {@link #of}. */
    public static String cacheControl(
            ClientLifetime page,
            ClientLifetime parts,
            boolean anyPrivateOrUnstored,
            boolean anyOmitted) {
        return of(page, parts, anyPrivateOrUnstored, anyOmitted).cacheControl();
    }

    /**
     * Whether the page may carry an entity tag, once all of it is known: only if every client gets
     * the same and may keep it. For other pages nobody mixes one.
     */
    public static boolean mayHaveTag(ClientLifetime whole) {
        return !whole.isPrivate() && !whole.noStore();
    }
}
