package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;

/**
 * The tags of a response: {@code Surrogate-Key} and {@code xkey} (separated by spaces), {@code
 * Cache-Tag} and {@code X-Cache-Tags} (separated by commas), {@code Cache-Groups} (RFC 9875 §2, a
 * list of strings).
 */
public final class Tags {

    /** The maximum number of tags of one response; with more it is not stored. */
    private static final int MAX_TAGS = 128;

    private static final int MAX_TAG_LENGTH = 256;

    private Tags() {}

    /** Whether {@code fields} have more tags than a stored response: not all could be purged. */
    static boolean areTooMany(Fields fields) {
        return distinct(fields).size() > MAX_TAGS;
    }

    /** Returns the distinct tags in {@code fields}, in the order of the fields above. */
    public static List<String> of(Fields fields) {
        return distinct(fields).stream().limit(MAX_TAGS).toList();
    }

    private static Set<String> distinct(Fields fields) {
        var tags = new LinkedHashSet<String>();
        split(fields.all("surrogate-key"), " \t", tags);
        split(fields.all("xkey"), " \t", tags);
        split(fields.all("cache-tag"), ",", tags);
        split(fields.all("x-cache-tags"), ",", tags);
        tags.addAll(CacheGroups.of(fields));
        return tags;
    }

    private static void split(List<String> lines, String separators, Set<String> tags) {
        for (var line : lines) {
            var parts = new StringTokenizer(line, separators);
            while (parts.hasMoreTokens()) {
                add(parts.nextToken().strip(), tags);
            }
        }
    }

    private static void add(String tag, Set<String> tags) {
        if (!tag.isEmpty() && tag.length() <= MAX_TAG_LENGTH) {
            tags.add(tag);
        }
    }
}
