package dev.quire.core.parse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects diagnostics; stores the first {@link ParsedPage#MAX_DIAGNOSTICS}. */
final class Diagnostics {

    private final List<Diagnostic> kept = new ArrayList<>();
    private int count;

    /** Counts a problem, and stores it if there is room. */
    void report(Position at, String what, String instead) {
        count++;
        if (kept.size() < ParsedPage.MAX_DIAGNOSTICS) {
            kept.add(new Diagnostic(at, what, instead));
        }
    }

    /** Returns the stored diagnostics in document order. */
    List<Diagnostic> inOrder() {
        kept.sort(Comparator.comparingInt(each -> each.at().offset()));
        return List.copyOf(kept);
    }

    /** Returns the number of problems, stored or not. */
    int count() {
        return count;
    }
}
