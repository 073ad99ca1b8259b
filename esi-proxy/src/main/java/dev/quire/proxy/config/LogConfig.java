package dev.quire.proxy.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The {@code log} section.
 *
 * @param access the target of the access log
 * @param format of its lines
 * @param query whether it contains the queries of URLs
 * @param requestId where the ids of requests are written
 * @param fragments which fragments of a page are logged
 * @param slow duration from which a fragment counts as slow
 */
public record LogConfig(
        Target access,
        Format format,
        Query query,
        RequestIds requestId,
        Fragments fragments,
        Duration slow) {

    public static final LogConfig DEFAULTS =
            new LogConfig(
                    new Stderr(),
                    Format.JSON,
                    Query.KEEP,
                    RequestIds.LOG,
                    Fragments.PROBLEMS,
                    Duration.ofMillis(200));

    /** The target of the access log. */
    public sealed interface Target {}

    /** The process's standard error stream. */
    public record Stderr() implements Target {}

    /** No access log. */
    public record Off() implements Target {}

    /** A file, to which lines are appended. */
    public record ToFile(Path path) implements Target {}

    /** The format of the access log. */
    public enum Format {
        /** One JSON object a line, with all fields. */
        JSON,
        /** The combined format of Apache. */
        COMBINED
    }

    /** Whether the access log contains queries. */
    public enum Query {
        KEEP,
        DROP
    }

    /** Where the ids of requests are written. */
    public enum RequestIds {
        /** To the access log. */
        LOG,
        /** Also to the origin. */
        SEND
    }

    /** Which fragments of a page are logged. */
    public enum Fragments {
        OFF,
        SLOW,
        ERRORS,
        /** Slow or failed ones. */
        PROBLEMS,
        ALL
    }
}
