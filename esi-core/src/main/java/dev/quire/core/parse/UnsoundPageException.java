package dev.quire.core.parse;

import java.util.List;

/** Thrown in strict mode for a page with malformed markup: in tests, or on request. */
public final class UnsoundPageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnsoundPageException(String url, List<Diagnostic> diagnostics, int errors) {
        super(message(url, diagnostics, errors));
    }

    /** One line for each diagnostic: {@code url:line:column: what (instead)}. */
    private static String message(String url, List<Diagnostic> diagnostics, int errors) {
        var message = new StringBuilder();
        for (var each : diagnostics) {
            if (!message.isEmpty()) {
                message.append('\n');
            }
            message.append(url).append(':').append(each);
        }
        int further = errors - diagnostics.size();
        if (further > 0) {
            message.append('\n').append(url).append(": and ").append(further).append(" more");
        }
        return message.toString();
    }
}
