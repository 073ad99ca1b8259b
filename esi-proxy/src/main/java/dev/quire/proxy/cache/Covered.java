package dev.quire.proxy.cache;

/**
 * The number of stored responses matched by a purge. A response that matches several conditions is
 * counted for the first.
 *
 * @param urls matched by URL
 * @param tags matched by a tag
 * @param hosts matched by a host
 * @param paths matched by a path
 */
public record Covered(long urls, long tags, long hosts, long paths) {
    public static final Covered NOTHING = new Covered(0, 0, 0, 0);
    static final Covered URL = new Covered(1, 0, 0, 0);
    static final Covered TAG = new Covered(0, 1, 0, 0);
    static final Covered HOST = new Covered(0, 0, 1, 0);
    static final Covered PATH = new Covered(0, 0, 0, 1);

    public long all() {
        return urls + tags + hosts + paths;
    }

    Covered and(Covered more) {
        return new Covered(
                urls + more.urls, tags + more.tags, hosts + more.hosts, paths + more.paths);
    }
}
