package dev.quire.core.rule;

import dev.quire.core.http.UriPath;
import dev.quire.core.policy.CacheKey;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes the path of a request; its query stays.
 *
 * @param match an expression searched in the path as it came; null to replace every path
 * @param with the new path; {@code {1}} is the first group of {@code match}, or without it of the
 *     rule's path pattern
 */
public record PathEdit(@Nullable TextPattern match, TextTemplate with) {

    /**
     * Returns {@code target} with the new path; the same if {@code match} does not match.
     *
     * @throws RuleError if the new path is invalid, or has a dot segment
     */
    String applied(String target, RuleValues values, List<@Nullable String> groups) {
        var path = CacheKey.path(target);
        var found = groups;
        if (match != null) {
            var matched = match.groups(path);
            if (matched == null) {
                return target;
            }
            found = matched;
        }
        var changed = with.text(values, found);
        if (!changed.startsWith("/")
                || changed.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '?' || c == '#')
                || UriPath.hasDotSegment(changed)) {
            throw new RuleError("the changed path is not a path");
        }
        return changed + target.substring(path.length());
    }

    /** The values that the new path reads. */
    Set<Input> inputs() {
        var inputs = EnumSet.copyOf(EnumSet.of(Input.PATH));
        inputs.addAll(with.inputs());
        return inputs;
    }
}
