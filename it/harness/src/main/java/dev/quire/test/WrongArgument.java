package dev.quire.test;

import java.util.ArrayList;
import java.util.List;

/**
 * A target with an invalid argument, or with one missing.
 *
 * @param what the invalid argument, for messages
 */
record WrongArgument(String target, String what) {
    private static final String VALUE = "no-such-value";

    /** The variations of {@code target}: two for each argument of its query. */
    static List<WrongArgument> of(String target) {
        int query = target.indexOf('?');
        if (query < 0) {
            return List.of();
        }
        var path = target.substring(0, query);
        var arguments = List.of(target.substring(query + 1).split("&", -1));
        var all = new ArrayList<WrongArgument>();
        for (int i = 0; i < arguments.size(); i++) {
            var name = arguments.get(i).replaceFirst("=.*", "");
            var wrong = new ArrayList<>(arguments);
            wrong.set(i, name + "=" + VALUE);
            all.add(new WrongArgument(path + "?" + String.join("&", wrong), wrong.get(i)));
            wrong.remove(i);
            var rest = wrong.isEmpty() ? "" : "?" + String.join("&", wrong);
            all.add(new WrongArgument(path + rest, "no " + name));
        }
        return all;
    }
}
