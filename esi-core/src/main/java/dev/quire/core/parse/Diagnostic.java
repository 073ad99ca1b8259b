package dev.quire.core.parse;

/**
 * A malformed part of a page, and how the parser handled it.
 *
 * @param at where the offending tag begins
 * @param what the problem, in one sentence without text of the page
 * @param instead what the parser did, for example {@code tag stripped}
 */
public record Diagnostic(Position at, String what, String instead) {
    @Override
    public String toString() {
        return at + ": " + what + " (" + instead + ")";
    }
}
