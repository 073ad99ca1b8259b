package dev.quire.core.policy;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The share of errors above which a new configuration is taken back.
 *
 * @param limit from 0 to 1
 */
public record ErrorGuard(double limit) {

    /** The syntax of {@link #parse}. */
    public static final String EXPECTED = "errors<PERCENT%, such as errors<1%";

    /** Fewer responses are not judged. */
    static final long MIN_RESPONSES = 20;

    /** The share must also exceed this many times that of the time before. */
    private static final int TIMES_BEFORE = 2;

    private static final Pattern NOTATION =
            Pattern.compile("\\s*errors\\s*<\\s*([0-9]{1,3}(?:\\.[0-9]{1,6})?)\\s*%\\s*");

    public ErrorGuard {
        if (!(limit >= 0 && limit <= 1)) {
            throw new IllegalArgumentException("expected a limit from 0 to 1: " + limit);
        }
    }

    /** Parses {@code errors<1%}; returns nothing if it is not valid. */
    public static Optional<ErrorGuard> parse(String text) {
        var matched = NOTATION.matcher(text);
        return matched.matches()
                ? Optional.of(Double.parseDouble(matched.group(1)) / 100)
                        .filter(share -> share <= 1)
                        .map(ErrorGuard::new)
                : Optional.empty();
    }

    /**
     * Whether the new configuration causes too many errors.
     *
     * @param responses under the new configuration
     * @param errors how many of them are errors
     * @param shareBefore the share of errors before it, from 0 to 1
     */
    public boolean trips(long responses, long errors, double shareBefore) {
        if (responses < MIN_RESPONSES) {
            return false;
        }
        double share = (double) errors / responses;
        return share > limit && share > TIMES_BEFORE * shareBefore;
    }
}
