package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import java.util.LinkedHashSet;
import java.util.Set;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * The cache groups of a response (RFC 9875): lists of strings; parameters are ignored. A malformed
 * field names no group. The RFC requires support for 32 groups of 32 characters; {@value
 * #MAX_GROUPS} of {@value #MAX_LENGTH} are read, further ones are ignored.
 */
public final class CacheGroups {
    static final int MAX_GROUPS = 128;
    static final int MAX_LENGTH = 256;

    private CacheGroups() {}

    /** Returns the groups of {@code response}: {@code Cache-Groups} (RFC 9875 §2). */
    public static Set<String> of(Fields response) {
        return strings(response, "Cache-Groups");
    }

    /**
     * Returns the groups that {@code response} invalidates: {@code Cache-Group-Invalidation} (§3).
     */
    public static Set<String> invalidatedBy(Fields response) {
        return strings(response, "Cache-Group-Invalidation");
    }

    private static Set<String> strings(Fields response, String name) {
        var lines = response.all(name);
        if (lines.isEmpty()) {
            return Set.of();
        }
        try {
            var groups = new LinkedHashSet<String>();
            for (var member : new Parser(lines).parseList().get()) {
                if (!(member instanceof StringItem group)) {
                    return Set.of();
                }
                boolean isRead = !group.get().isEmpty() && group.get().length() <= MAX_LENGTH;
                if (isRead && groups.size() < MAX_GROUPS) {
                    groups.add(group.get());
                }
            }
            return groups;
        } catch (ParseException noList) {
            return Set.of();
        }
    }
}
