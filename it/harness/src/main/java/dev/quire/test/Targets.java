package dev.quire.test;

import java.util.ArrayList;
import java.util.List;

/** Compares paths named by a test with requested targets. */
final class Targets {
    private Targets() {}

    /** Whether {@code named} matches {@code target}: with any query, unless it has one. */
    static boolean isMeant(String named, String target) {
        int query = target.indexOf('?');
        return named.equals(
                named.indexOf('?') >= 0 || query < 0 ? target : target.substring(0, query));
    }

    /**
     * Those of {@code named} that match none of {@code targets}, each of which is used at most
     * once.
     */
    static List<String> missing(List<String> named, List<String> targets) {
        var left = new ArrayList<>(targets);
        return named.stream().filter(name -> !take(name, left)).toList();
    }

    /**
     * Those of {@code targets} that match none of {@code named}, each of which is used at most
     * once.
     */
    static List<String> beyond(List<String> named, List<String> targets) {
        var left = new ArrayList<>(targets);
        named.forEach(name -> take(name, left));
        return left;
    }

    private static boolean take(String name, List<String> from) {
        for (int i = 0; i < from.size(); i++) {
            if (isMeant(name, from.get(i))) {
                from.remove(i);
                return true;
            }
        }
        return false;
    }

    /** {@code targets} for a sentence: {@code nothing} if there are none. */
    static String listed(List<String> targets) {
        if (targets.isEmpty()) {
            return "nothing";
        }
        var counted = new ArrayList<String>();
        for (var target : targets.stream().distinct().toList()) {
            long times = targets.stream().filter(target::equals).count();
            counted.add(times == 1 ? target : target + " " + times + " times");
        }
        return String.join(", ", counted);
    }
}
