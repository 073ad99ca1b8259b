package dev.quire.test;

import org.jspecify.annotations.Nullable;

/**
 * The messages of failed assertions: the claim, the expected and the actual value, the trace of the
 * page, and the next step.
 */
final class Failures {
    private static final String INDENT = "            ";

    private Failures() {}

    /**
     * @param claim the text after "expected"
     * @param trace of the page; null if there are several pages
     * @param next the next step
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

    static AssertionError needsCache(EsiSite site, String what) {
        return new AssertionError(
                "%s cannot be checked: %s does not cache. Open the site with assembledBy(Assembling.PROXY)."
                        .formatted(what, site.assembler()));
    }

    static String untold(AssemblyTrace trace) {
        return "the parts of %s are unknown: %s does not report them. Open the site with assembledBy(Assembling.PROXY)."
                .formatted(trace.asked().target(), trace.by());
    }

    private static String indented(String lines) {
        return lines.strip().replace("\n", "\n" + INDENT);
    }
}
