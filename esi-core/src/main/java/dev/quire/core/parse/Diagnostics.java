package dev.quire.core.parse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What has been found malformed so far; {@link ParsedPage#MAX_DIAGNOSTICS} are kept. */
final class Diagnostics {

    private final List<Diagnostic> kept = new ArrayList<>();
    private int count;

    /** Counts something malformed, and keeps it if there is room. */
    void report(Position at, String what, String instead) {
        count++;
        if (kept.size() < ParsedPage.MAX_DIAGNOSTICS) {
            kept.add(new Diagnostic(at, what, instead));
        }
    }

    /** Those that are kept, in document order. */
    List<Diagnostic> inOrder() {
        kept.sort(Comparator.comparingInt(each -> each.at().offset()));
        return List.copyOf(kept);
    }

    /** How many there were. */
    int count() {
        return count;
    }
}
