package dev.quire.spring.internal.invalidate;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.spring.internal.policy.TagTemplate;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.Invalidation.Mode;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys of invalidations, tags and URLs: which are valid, and how they are merged and split. */
public final class InvalidationKeys {

    /** Maximum number of characters of a tag. */
    public static final int MOST_CHARS = TagTemplate.MOST_CHARS;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private InvalidationKeys() {}

    /** Whether {@code text} is a valid tag, of responses too. */
    public static boolean isTag(String text) {
        return TagTemplate.isTag(text);
    }

    /** Whether {@code url} is an absolute http or https URL without user info and fragment. */
    public static boolean isAbsolute(URI url) {
        @Nullable String scheme = url.getScheme();
        return scheme != null
                && (scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))
                && url.getHost() != null
                && url.getRawUserInfo() == null
                && url.getRawFragment() == null;
    }

    /**
     * Returns a URL, or a part of one, as clients send it: other characters than ASCII are
     * percent-encoded in UTF-8. Unlike {@link URI#toASCIIString} it composes no characters.
     */
    static String ascii(String url) {
        var ascii = new StringBuilder(url.length());
        for (byte b : url.getBytes(UTF_8)) {
            if (b >= 0) {
                ascii.append((char) b);
            } else {
                ascii.append('%').append(HEX.toHexDigits(b));
            }
        }
        return ascii.toString();
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
                        without(soft.tags(), hard.tags()),
                        without(soft.urls(), hard.urls()),
                        Mode.SOFT);
        if (!rest.isEmpty()) {
            merged.add(rest);
        }
        return merged;
    }

    /** Returns {@code whole} in parts of at most {@code most} keys each. */
    static List<Invalidation> parts(Invalidation whole, int most) {
        if (whole.size() <= most) {
            return List.of(whole);
        }
        var parts = new ArrayList<Invalidation>();
        var someTags = new LinkedHashSet<String>();
        var someUrls = new LinkedHashSet<URI>();
        for (var tag : whole.tags()) {
            someTags.add(tag);
            if (someTags.size() == most) {
                parts.add(new Invalidation(someTags, Set.of(), whole.mode()));
                someTags.clear();
            }
        }
        for (var url : whole.urls()) {
            someUrls.add(url);
            if (someTags.size() + someUrls.size() == most) {
                parts.add(new Invalidation(someTags, someUrls, whole.mode()));
                someTags.clear();
                someUrls.clear();
            }
        }
        if (!someTags.isEmpty() || !someUrls.isEmpty()) {
            parts.add(new Invalidation(someTags, someUrls, whole.mode()));
        }
        return parts;
    }

    private static Invalidation union(Collection<Invalidation> several, Mode mode) {
        var tags = new LinkedHashSet<String>();
        var urls = new LinkedHashSet<URI>();
        for (var one : several) {
            if (one.mode() == mode) {
                tags.addAll(one.tags());
                urls.addAll(one.urls());
            }
        }
        return new Invalidation(tags, urls, mode);
    }

    private static <T> Set<T> without(Set<T> all, Set<T> some) {
        var rest = new LinkedHashSet<>(all);
        rest.removeAll(some);
        return rest;
    }
}
