package dev.quire.proxy.path;

import dev.quire.core.assemble.ErrorPage;
import dev.quire.core.assemble.Failure;

/**
 * The refusal of a request by the limit or login of a rule.
 *
 * @param why for the log, such as {@code rate exceeded}
 * @param page for the client, if it asked for the page
 */
record RuleRefusal(String rule, String why, ErrorPage page) {

    /** The reason in the access log. */
    String reason() {
        return rule + ": " + why;
    }

    /** The failure of the page or the fragment that is refused. */
    Failure failure() {
        return new Failure(
                Failure.Side.PROXY,
                Failure.Kind.DENIED,
                page.status(),
                "rule '" + rule + "': " + why);
    }
}
