package dev.quire.proxy.cache;

/**
 * How many stored responses a purge met. One that several conditions meet counts for the first.
 *
 * @param urls met by a URL, their own or that of the page that brought them along
 * @param tags met by a tag
 * @param hosts met by a host
 * @param paths met by a path
 */
public record Covered(long urls, long tags, long hosts, long paths) {
    static final Covered NOTHING = new Covered(0, 0, 0, 0);
    static final Covered URL = new Covered(1, 0, 0, 0);
    static final Covered TAG = new Covered(0, 1, 0, 0);
    static final Covered HOST = new Covered(0, 0, 1, 0);
    static final Covered PATH = new Covered(0, 0, 0, 1);

    /** All of them. */
    public long all() {
        return urls + tags + hosts + paths;
    }

    Covered and(Covered more) {
        return new Covered(
                urls + more.urls, tags + more.tags, hosts + more.hosts, paths + more.paths);
    }
}
