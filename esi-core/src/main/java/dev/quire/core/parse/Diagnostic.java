package dev.quire.core.parse;

/**
 * Something malformed, and what was done instead.
 *
 * @param at where the offending tag begins
 * @param what is wrong, in one sentence without the page's own text
 * @param instead what the parser did, for example {@code tag stripped}
 */
public record Diagnostic(Position at, String what, String instead) {
    @Override
    public String toString() {
        return at + ": " + what + " (" + instead + ")";
    }
}
