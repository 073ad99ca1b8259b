package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tags and URLs for surrogates to invalidate.
 *
 * @param tags of responses; visible ASCII characters except the comma
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

    /** Whether {@code text} is a valid tag: blanks and commas separate tags. */
    static boolean isTag(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != ',');
    }

    /**
     * Returns {@code several} without duplicates, merged into at most one invalidation per mode.
     * Keys that are dropped are not also made stale.
     */
    static List<Invalidation> merged(Collection<Invalidation> several) {
        var hard = union(several, Mode.HARD);
        var soft = union(several, Mode.SOFT);
        var merged = new ArrayList<Invalidation>(2);
        if (!hard.isEmpty()) {
            merged.add(hard);
        }
        var rest =
                new Invalidation(
                        without(soft.tags, hard.tags), without(soft.urls, hard.urls), Mode.SOFT);
        if (!rest.isEmpty()) {
            merged.add(rest);
        }
        return merged;
    }

    /** Returns this invalidation in parts of at most {@code most} keys each. */
    List<Invalidation> inPartsOf(int most) {
        if (size() <= most) {
            return List.of(this);
        }
        var parts = new ArrayList<Invalidation>();
        var someTags = new LinkedHashSet<String>();
        var someUrls = new LinkedHashSet<URI>();
        for (var tag : tags) {
            someTags.add(tag);
            if (someTags.size() == most) {
                parts.add(new Invalidation(someTags, Set.of(), mode));
                someTags.clear();
            }
        }
        for (var url : urls) {
            someUrls.add(url);
            if (someTags.size() + someUrls.size() == most) {
                parts.add(new Invalidation(someTags, someUrls, mode));
                someTags.clear();
                someUrls.clear();
            }
        }
        if (!someTags.isEmpty() || !someUrls.isEmpty()) {
            parts.add(new Invalidation(someTags, someUrls, mode));
        }
        return parts;
    }

    private static Invalidation union(Collection<Invalidation> several, Mode mode) {
        var tags = new LinkedHashSet<String>();
        var urls = new LinkedHashSet<URI>();
        for (var one : several) {
            if (one.mode == mode) {
                tags.addAll(one.tags);
                urls.addAll(one.urls);
            }
        }
        return new Invalidation(tags, urls, mode);
    }

    private static <T> Set<T> without(Set<T> all, Set<T> some) {
        var rest = new LinkedHashSet<>(all);
        rest.removeAll(some);
        return rest;
    }

    /** Copies in insertion order, which is the order of the log. */
    private static <T> Set<T> copy(Set<T> names) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(names));
    }

    private static void checkTag(String tag) {
        if (!isTag(tag)) {
            throw new IllegalArgumentException(
                    "tag '%s' is empty or contains a blank, comma, control or non-ASCII character"
                            .formatted(tag));
        }
    }

    private static void checkUrl(URI url) {
        if (!isAbsolute(url)) {
            throw new IllegalArgumentException(
                    "'%s' is not an absolute http or https URL (expected for example https://news.example/front)"
                            .formatted(url));
        }
    }

    /** Whether {@code url} is an absolute http or https URL without user info and fragment. */
    static boolean isAbsolute(URI url) {
        @Nullable String scheme = url.getScheme();
        return scheme != null
                && (scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))
                && url.getHost() != null
                && url.getRawUserInfo() == null
                && url.getRawFragment() == null;
    }
}
