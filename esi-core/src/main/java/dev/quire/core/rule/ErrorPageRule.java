package dev.quire.core.rule;

import dev.quire.core.rule.Matchers.StatusRange;
import java.util.List;

/**
 * An error page of the operator and the errors for which it is sent.
 *
 * @param host of requests that it applies to
 * @param path of requests that it applies to
 * @param statuses of our own errors, 400 to 599
 * @param intercepted statuses of origins' responses that it replaces, 400 to 599
 * @param page path and query of the page on the same host; {@code {status}} is replaced
 * @param isForJson whether it is also sent to clients that prefer JSON
 */
public record ErrorPageRule(
        HostPattern host,
        PathPattern path,
        List<StatusRange> statuses,
        List<StatusRange> intercepted,
        String page,
        boolean isForJson) {

    private static final String STATUS = "{status}";

    public ErrorPageRule {
        statuses = List.copyOf(statuses);
        intercepted = List.copyOf(intercepted);
    }

    /** Returns path and query of {@code page} for a status. */
    public static String target(String page, int status) {
        return page.replace(STATUS, Integer.toString(status));
    }

    boolean isForOwn(int status) {
        return contains(statuses, status);
    }

    boolean isForOrigins(int status) {
        return contains(intercepted, status);
    }

    private static boolean contains(List<StatusRange> ranges, int status) {
        for (int i = 0; i < ranges.size(); i++) {
            if (ranges.get(i).contains(status)) {
                return true;
            }
        }
        return false;
    }
}
