package dev.quire.core.rule;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Decides whether one path pattern matches every path that another one matches. Both are read as
 * automata whose states are positions in the pattern; a path that only the second one matches is
 * searched for. Gives up on patterns with very many combinations of positions.
 */
final class PathCoverage {
    private static final int MAX_STATES = 20_000;

    /** A character that is in neither pattern: those are decoded bytes. */
    private static final char OTHER = '\uffff';

    private final String wide;
    private final String narrow;
    private final Set<State> seen = new HashSet<>();
    private final ArrayDeque<State> open = new ArrayDeque<>();

    /**
     * @param at position in the narrow pattern
     * @param reached positions in the wide pattern that the same path can have reached
     */
    private record State(int at, BitSet reached) {}

    private PathCoverage(String wide, String narrow) {
        this.wide = wide;
        this.narrow = narrow;
    }

    /** Whether {@code wide} certainly matches every path that {@code narrow} matches. */
    static boolean covers(String wide, String narrow) {
        return mayCover(wide, narrow) && new PathCoverage(wide, narrow).covers();
    }

    /**
     * Whether the literal texts at the ends of {@code narrow} begin and end with those of {@code
     * wide}. Otherwise a star of {@code narrow} matches paths that {@code wide} does not match.
     */
    private static boolean mayCover(String wide, String narrow) {
        int first = wide.indexOf('*');
        if (first < 0) {
            return wide.equals(narrow);
        }
        int last = wide.length() - wide.lastIndexOf('*') - 1;
        return narrow.regionMatches(0, wide, 0, first)
                && narrow.regionMatches(narrow.length() - last, wide, wide.length() - last, last);
    }

    private boolean covers() {
        var start = new BitSet();
        reach(start, 0);
        add(0, start);
        while (!open.isEmpty()) {
            var state = open.remove();
            boolean isEnd = state.at() == narrow.length();
            boolean isLost =
                    isEnd ? !state.reached().get(wide.length()) : state.reached().isEmpty();
            if (isLost || seen.size() > MAX_STATES) {
                return false;
            }
            if (!isEnd) {
                advance(state);
            }
        }
        return true;
    }

    private void advance(State state) {
        int star = starAt(narrow, state.at());
        if (star == 0) {
            add(state.at() + 1, after(state.reached(), narrow.charAt(state.at())));
            return;
        }
        add(state.at() + star, state.reached());
        if (star == 2) {
            add(state.at(), after(state.reached(), '/'));
        }
        add(state.at(), after(state.reached(), OTHER));
        wide.chars()
                .filter(c -> c != '/' && c != '*')
                .distinct()
                .forEach(c -> add(state.at(), after(state.reached(), (char) c)));
    }

    private void add(int at, BitSet reached) {
        var state = new State(at, reached);
        if (seen.add(state)) {
            open.add(state);
        }
    }

    /** The positions of the wide pattern after {@code c}. */
    private BitSet after(BitSet reached, char c) {
        var next = new BitSet();
        for (int i = reached.nextSetBit(0); i >= 0 && i < wide.length(); ) {
            int star = starAt(wide, i);
            if (star == 2 || (star == 1 && c != '/')) {
                reach(next, i);
            } else if (star == 0 && wide.charAt(i) == c) {
                reach(next, i + 1);
            }
            i = reached.nextSetBit(i + 1);
        }
        return next;
    }

    /** Adds position {@code at}, and those behind the stars there, which may match nothing. */
    private void reach(BitSet positions, int at) {
        positions.set(at);
        int star = starAt(wide, at);
        if (star > 0) {
            reach(positions, at + star);
        }
    }

    /** The length of the wildcard at {@code i}, or 0. */
    private static int starAt(String pattern, int i) {
        return pattern.startsWith("**", i) ? 2 : pattern.startsWith("*", i) ? 1 : 0;
    }
}
