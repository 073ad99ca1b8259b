package dev.quire.test;

import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/** Recognizes the text of an error, independent of the status. */
final class ErrorText {
    private static final Pattern STACK_TRACE =
            Pattern.compile(
                    "\\bat [\\w.$/]+\\([\\w$]+\\.(?:java|kt):\\d+\\)|Whitelabel Error Page");
    private static final Pattern HEAD =
            Pattern.compile(
                    "\\W*(?:[45]\\d\\d\\b.*|error\\b.*|(?:an? )?(?:unexpected |internal )?(?:server )?error\\b.*|something went wrong.*|(?:page )?not found|bad request)\\W*",
                    Pattern.CASE_INSENSITIVE);

    private ErrorText() {}

    static boolean isTrace(String text) {
        return STACK_TRACE.matcher(text).find();
    }

    /** Whether {@code tree} looks like an error page; use only where an error is expected. */
    static boolean isLike(Element tree) {
        return isTrace(tree.text())
                || tree.select("title, h1, h2, h3").stream()
                        .anyMatch(head -> HEAD.matcher(head.text()).matches())
                || !tree.select(".error, .error-page, #error").isEmpty()
                || HEAD.matcher(tree.text().strip()).matches();
    }
}
