package dev.quire.proxy.cache;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.ForwardedFields;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The difference that response rules made to a stored head: a validation updates the head as it was
 * received, and the rules apply to the result. Immutable.
 *
 * @param names of the fields that differ
 * @param received their lines before the rules, without those that must not be stored and without
 *     cookies that the rules have dropped: these were for one client
 */
record ReplacedLines(List<String> names, Fields received) {

    private static final String SET_COOKIE = "Set-Cookie";

    /** There are few different ones. */
    private static final Shared<List<String>> NAMES = new Shared<>();

    ReplacedLines {
        names = NAMES.shared(List.copyOf(names));
    }

    /** Returns the difference between two heads; null if there is no difference. */
    static @Nullable ReplacedLines between(Fields received, Fields changed) {
        var all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        received.forEach((name, value) -> all.add(name));
        changed.forEach((name, value) -> all.add(name));
        all.removeIf(name -> received.all(name).equals(changed.all(name)));
        if (all.isEmpty()) {
            return null;
        }
        var left = new TreeSet<>(all);
        if (!changed.contains(SET_COOKIE)) {
            left.remove(SET_COOKIE);
        }
        var lines = new Fields.Builder();
        ForwardedFields.storable(received)
                .forEach((name, value) -> {
                    if (left.contains(name)) {
                        lines.add(StoredContent.shared(name), value);
                    }
                });
        return new ReplacedLines(new ArrayList<>(all), lines.build());
    }

    /** Returns it for a body of which the content coding is removed. */
    ReplacedLines decoded() {
        return new ReplacedLines(names, DecodedBody.fields(received));
    }

    /** Returns {@code stored} as it was before the rules. */
    ResponseHead undone(ResponseHead stored) {
        var replaced = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        replaced.addAll(names);
        return new ResponseHead(
                stored.status(),
                stored.reason(),
                new Fields.Builder()
                        .addAll(stored.fields().without(replaced::contains))
                        .addAll(received)
                        .build());
    }
}
