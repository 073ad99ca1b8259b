package dev.quire.spring.invalidate;

import dev.quire.spring.internal.invalidate.InvalidationKeys;
import java.net.URI;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Tags and URLs for surrogates to invalidate.
 *
 * @param tags of responses; 1 to 256 visible ASCII characters except the comma
 * @param urls of resources, as clients request them: absolute, with scheme http or https
 * @param mode whether stored responses are dropped or made stale
 */
public record Invalidation(Set<String> tags, Set<URI> urls, Mode mode) {

    /** The effect on stored responses. */
    public enum Mode {
        /** They are dropped: the next request is fetched. */
        HARD,
        /**
         * They become stale: the next request may be served stale within the grace, while it is
         * refreshed. A surrogate without this capability drops them.
         */
        SOFT
    }

    public Invalidation {
        tags = copy(tags);
        urls = copy(urls);
        tags.forEach(Invalidation::checkTag);
        urls.forEach(Invalidation::checkUrl);
    }

    public static Invalidation ofTags(String... tags) {
        return new Invalidation(new LinkedHashSet<>(Arrays.asList(tags)), Set.of(), Mode.HARD);
    }

    /** Returns a purge of the responses stored for {@code urls}. */
    public static Invalidation ofUrls(URI... urls) {
        return new Invalidation(Set.of(), new LinkedHashSet<>(Arrays.asList(urls)), Mode.HARD);
    }

    public Invalidation soft() {
        return new Invalidation(tags, urls, Mode.SOFT);
    }

    /** Returns the number of tags and URLs. */
    public int size() {
        return tags.size() + urls.size();
    }

    /** Whether it has neither tags nor URLs. */
    public boolean isEmpty() {
        return size() == 0;
    }

    /** Copies in insertion order, which is the order of the log. */
    private static <T> Set<T> copy(Set<T> names) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(names));
    }

    private static void checkTag(String tag) {
        if (!InvalidationKeys.isTag(tag)) {
            throw new IllegalArgumentException(
                    "tag '%s' is empty, longer than %d characters or contains a blank, comma, control or non-ASCII character"
                            .formatted(tag, InvalidationKeys.MOST_CHARS));
        }
    }

    private static void checkUrl(URI url) {
        if (!InvalidationKeys.isAbsolute(url)) {
            throw new IllegalArgumentException(
                    "'%s' is not an absolute http or https URL (expected for example https://news.example/front)"
                            .formatted(url));
        }
    }
}
