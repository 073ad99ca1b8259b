package dev.quire.test;

import org.jspecify.annotations.Nullable;

/**
 * What a failed assertion says: what was to be shown, what was expected and what was seen, how the
 * page came about, and what to look at next. Written down here alone.
 */
final class Failures {
    private static final String INDENT = "            ";

    private Failures() {}

    /**
     * @param claim what was to be shown, behind "expected"
     * @param trace of the page it was seen on; null where several are concerned
     * @param next what to look at
     */
    static String message(
            String claim,
            String expected,
            String seen,
            @Nullable AssemblyTrace trace,
            String next) {
        var message = new StringBuilder("expected ").append(claim).append('\n');
        message.append("  expected: ").append(indented(expected)).append('\n');
        message.append("  seen:     ").append(indented(seen)).append('\n');
        if (trace != null) {
            message.append('\n').append(trace.text()).append('\n');
        }
        return message.append("next: ").append(next).toString();
    }

    /** An assertion that whoever assembles the pages of {@code site} can say nothing about. */
    static AssertionError needsCache(EsiSite site, String what) {
        return new AssertionError(
                "%s cannot be checked: %s does not cache. Open the site with assembledBy(Assembling.PROXY)."
                        .formatted(what, site.assembler()));
    }

    /** What is said where whoever assembled a page does not tell what it is made of. */
    static String untold(AssemblyTrace trace) {
        return "the parts of %s are unknown: %s does not report them. Open the site with assembledBy(Assembling.PROXY)."
                .formatted(trace.asked().target(), trace.by());
    }

    private static String indented(String lines) {
        return lines.strip().replace("\n", "\n" + INDENT);
    }
}
