package dev.quire.test;

import java.util.ArrayList;
import java.util.List;

/** Paths as a test names them, held against targets as they were asked for. */
final class Targets {
    private Targets() {}

    /** Whether {@code named} means {@code target}: with any query, unless it names one. */
    static boolean isMeant(String named, String target) {
        int query = target.indexOf('?');
        return named.equals(
                named.indexOf('?') >= 0 || query < 0 ? target : target.substring(0, query));
    }

    /** Those of {@code named} that none of {@code targets} is meant by, each used up once. */
    static List<String> missing(List<String> named, List<String> targets) {
        var left = new ArrayList<>(targets);
        return named.stream().filter(name -> !take(name, left)).toList();
    }

    /** Those of {@code targets} that none of {@code named} means, each used up once. */
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
