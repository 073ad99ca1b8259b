package dev.quire.test.memory;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.policy.Settings;
import java.time.Duration;
import java.util.Set;

/**
 * What an operator could have settled.
 *
 * @param settings of the cache
 * @param contentTypes media types that are parsed, in lower case and without parameters
 * @param allowedHosts authorities besides the page's own that an include may name
 * @param limits of one page
 * @param onError what a fragment that fails does to the page, where its author says nothing
 * @param variables what expressions see
 * @param passSetCookie whether cookies of fragments that are one reader's own reach that reader
 * @param timing how long is waited
 */
public record Rules(
        Settings settings,
        Set<String> contentTypes,
        Set<String> allowedHosts,
        Limits limits,
        ErrorPolicy onError,
        VariableRules variables,
        boolean passSetCookie,
        Timing timing) {

    /**
     * How long is waited, by the machine's clock.
     *
     * @param firstByte for an answer of the application
     * @param include for a fragment
     * @param page for all of a page's fragments
     */
    public record Timing(Duration firstByte, Duration include, Duration page) {}

    /** Those of an operator who has said nothing. */
    public static final Rules STANDARD =
            new Rules(
                    Settings.DEFAULT,
                    Set.of(
                            "text/html",
                            "application/xhtml+xml",
                            "text/xml",
                            "application/xml",
                            "text/plain"),
                    Set.of(),
                    Limits.DEFAULT,
                    ErrorPolicy.OMIT,
                    VariableRules.STANDARD,
                    false,
                    new Timing(
                            Duration.ofSeconds(15),
                            Duration.ofSeconds(10),
                            Duration.ofSeconds(30)));

    /** How long a note is kept that the answers for a key are of no use to others. */
    static final Duration HIT_FOR_MISS = Duration.ofMinutes(2);

    /** The largest body that is stored. */
    static final long MAX_OBJECT_BYTES = 16L << 20;

    /** The largest document that is parsed. */
    static final long MAX_DOCUMENT_BYTES = 8L << 20;

    public Rules {
        contentTypes = Set.copyOf(contentTypes);
        allowedHosts = Set.copyOf(allowedHosts);
    }
}
