package dev.quire.core.rule;

import dev.quire.core.expression.UriText;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.Collections;

/**
 * Removes arguments of a query, and sorts the rest by name. The order of arguments with the same
 * name stays; arguments stay encoded as they came. An empty query is removed with its question
 * mark.
 *
 * @param names of the arguments that stay, decoded
 * @param sorts whether the rest is sorted by decoded name
 */
public record QueryEdit(NameFilter names, boolean sorts) {

    private record Argument(String text, String name) {}

    /** Returns {@code target} with the changed query. */
    public String applied(String target) {
        int mark = target.indexOf('?');
        if (mark < 0) {
            return target;
        }
        var arguments = new ArrayList<Argument>();
        boolean isChanged = false;
        for (var text : target.substring(mark + 1).split("&", -1)) {
            int equals = text.indexOf('=');
            var name = UriText.decoded(equals < 0 ? text : text.substring(0, equals), true);
            if (text.isEmpty() || names.isKept(name)) {
                arguments.add(new Argument(text, name));
            } else {
                isChanged = true;
            }
        }
        if (sorts) {
            isChanged |= arguments.removeIf(argument -> argument.text().isEmpty());
            var sorted = new ArrayList<>(arguments);
            Collections.sort(sorted, (one, other) -> one.name().compareTo(other.name()));
            isChanged |= !sorted.equals(arguments);
            arguments = sorted;
        }
        if (!isChanged && !(sorts && arguments.isEmpty())) {
            return target;
        }
        var path = CacheKey.path(target);
        if (arguments.isEmpty()) {
            return path;
        }
        return path + "?" + String.join("&", arguments.stream().map(Argument::text).toList());
    }
}
