package dev.quire.proxy.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.PathPattern;
import dev.quire.proxy.cache.Purge;
import dev.quire.proxy.config.LimitsConfig;
import dev.quire.proxy.fleet.Ack;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A request for a purge.
 *
 * @param soft whether matching responses become stale instead of being removed
 * @param dryRun whether matching responses are only counted
 * @param count whether matching responses are counted, for which the store is walked
 * @param ack what the answer waits for; empty for the default
 */
public record PurgeRequest(
        Purge purge, boolean soft, boolean dryRun, boolean count, Optional<Ack> ack) {
    private static final List<String> MEMBERS =
            List.of("urls", "tags", "hosts", "paths", "soft", "dryRun", "count", FleetAnswers.ACK);

    private static final int MAX_CONDITIONS = 4096;
    private static final int MAX_TEXT = LimitsConfig.MAX_REQUEST_LINE;
    private static final int MAX_TAG = 256;
    private static final int MAX_PATTERN = 512;

    /** A purge of the responses stored for {@code urls} or with one of {@code tags}. */
    public static PurgeRequest of(List<CacheKey> urls, List<String> tags) {
        return new PurgeRequest(
                new Purge(Set.copyOf(urls), Set.copyOf(tags), Set.of(), List.of()),
                false,
                false,
                true,
                Optional.empty());
    }

    /**
     * Parses the JSON of {@code POST /v1/purge}.
     *
     * @throws InvalidRequest if a condition is missing or cannot match anything
     */
    static PurgeRequest read(byte[] body) {
        var json = JsonBody.read(body, MEMBERS);
        var urls = json.strings("urls").stream().flatMap(url -> keys(url).stream()).toList();
        var tags = json.strings("tags");
        var hosts =
                json.strings("hosts").stream().map(host -> host.toLowerCase(Locale.ROOT)).toList();
        var paths = json.strings("paths");
        boolean soft = json.truth("soft");
        boolean dryRun = json.truth("dryRun");
        boolean count = json.truth("count", true);
        var ack = FleetAnswers.ack(json.text(FleetAnswers.ACK));
        if (dryRun && !count) {
            throw new InvalidRequest("count: false excludes dryRun", "at most one of them");
        }
        int conditions = urls.size() + tags.size() + hosts.size() + paths.size();
        if (conditions == 0) {
            throw new InvalidRequest(
                    "no condition is given", "at least one of urls, tags, hosts, paths");
        }
        if (conditions > MAX_CONDITIONS) {
            throw new InvalidRequest(
                    "too many conditions: " + conditions, "at most " + MAX_CONDITIONS);
        }
        for (var tag : tags) {
            if (!isVisible(tag, MAX_TAG)) {
                throw new InvalidRequest(
                        "tags: '" + tag + "' is not a valid tag",
                        "1 to 256 visible ASCII characters");
            }
        }
        for (var host : hosts) {
            if (!isVisible(host, MAX_TAG) || hasAny(host, "/?#@*\\\"<>")) {
                throw new InvalidRequest(
                        "hosts: '" + host + "' is not a valid host", "HOST or HOST:PORT");
            }
        }
        for (var path : paths) {
            if (!isVisible(path, MAX_PATTERN) || !path.startsWith("/") || hasAny(path, "?#")) {
                throw new InvalidRequest(
                        "paths: '" + path + "' is not a valid path",
                        "/ and at most 511 more visible ASCII characters, without a query");
            }
        }
        return new PurgeRequest(
                new Purge(
                        Set.copyOf(urls),
                        Set.copyOf(tags),
                        Set.copyOf(hosts),
                        paths.stream().map(PathPattern::new).toList()),
                soft,
                dryRun,
                count,
                ack);
    }

    /**
     * Returns the cache keys that {@code url} may denote: characters above 0x7F in its query are in
     * UTF-8, or bytes as the access log writes them.
     */
    private static List<CacheKey> keys(String url) {
        var key = key("urls", url);
        int query = url.indexOf('?');
        boolean hasBytes = query >= 0 && !key.target().endsWith(url.substring(query));
        return hasBytes && url.chars().allMatch(c -> c <= 0xff)
                ? List.of(
                        key,
                        new CacheKey(
                                key.scheme(), key.authority(), key.path() + url.substring(query)))
                : List.of(key);
    }

    /**
     * Returns the cache key of an absolute URL. Characters above 0x7F in its query are in UTF-8.
     *
     * @param member named in the error message
     * @throws InvalidRequest if {@code url} is not an absolute URL
     */
    public static CacheKey key(String member, String url) {
        Scheme scheme = null;
        int start = 0;
        for (var known : Scheme.values()) {
            var prefix = known.text() + "://";
            if (url.regionMatches(true, 0, prefix, 0, prefix.length())) {
                scheme = known;
                start = prefix.length();
            }
        }
        int path = start;
        while (path < url.length() && "/?#".indexOf(url.charAt(path)) < 0) {
            path++;
        }
        int query = url.indexOf('?', path);
        query = query < 0 ? url.length() : query;
        var authority = url.substring(start, path);
        var target =
                url.substring(path, query)
                        + new String(url.substring(query).getBytes(UTF_8), ISO_8859_1);
        if (scheme == null
                || authority.isEmpty()
                || !isVisible(url.substring(0, query), MAX_TEXT)
                || target.length() > MAX_TEXT
                || !target.chars().allMatch(c -> c > ' ' && c != 0x7f)
                || hasAny(authority, "@\\\"<>")
                || hasTwoPorts(authority)
                || target.contains("#")) {
            throw new InvalidRequest(
                    member + ": '" + url + "' is not an absolute URL",
                    "http://HOST/PATH or https://HOST/PATH, percent-encoded, no fragment");
        }
        return new CacheKey(scheme, authority, target.startsWith("/") ? target : "/" + target);
    }

    /** Such an authority has another key each time its default port is removed. */
    private static boolean hasTwoPorts(String authority) {
        int port = authority.indexOf(':', authority.lastIndexOf(']') + 1);
        return port >= 0 && authority.indexOf(':', port + 1) >= 0;
    }

    private static boolean isVisible(String text, int most) {
        return !text.isEmpty()
                && text.length() <= most
                && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    private static boolean hasAny(String text, String characters) {
        return text.chars().anyMatch(c -> characters.indexOf(c) >= 0);
    }
}
