package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The tags of a response: {@code Surrogate-Key} and {@code xkey} (parted by blanks), {@code
 * Cache-Tag} (parted by commas), {@code Cache-Groups} (RFC 9875, a list of strings).
 */
final class Tags {

    /** More tags than this on one response are not kept. */
    private static final int MAX_TAGS = 128;

    private static final int MAX_TAG_LENGTH = 256;

    private Tags() {}

    static List<String> of(Fields fields) {
        var tags = new LinkedHashSet<String>();
        split(fields.all("surrogate-key"), ' ', tags);
        split(fields.all("xkey"), ' ', tags);
        split(fields.all("cache-tag"), ',', tags);
        for (var line : fields.all("cache-groups")) {
            split(List.of(line.replace("\"", "")), ',', tags);
        }
        return tags.stream().limit(MAX_TAGS).toList();
    }

    private static void split(List<String> lines, char separator, LinkedHashSet<String> tags) {
        for (var line : lines) {
            int from = 0;
            while (from <= line.length()) {
                int to = line.indexOf(separator, from);
                if (to < 0) {
                    to = line.length();
                }
                var tag = line.substring(from, to).strip();
                if (!tag.isEmpty() && tag.length() <= MAX_TAG_LENGTH) {
                    tags.add(tag);
                }
                from = to + 1;
            }
        }
    }
}
