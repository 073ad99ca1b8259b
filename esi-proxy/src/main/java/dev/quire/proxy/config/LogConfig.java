package dev.quire.proxy.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The access log.
 *
 * @param access where it goes
 * @param fragments which of a page's fragments its line lists
 * @param slow from when on a fragment counts as slow
 */
public record LogConfig(Target access, Fragments fragments, Duration slow) {

    static final LogConfig DEFAULTS =
            new LogConfig(new Stderr(), Fragments.SLOW, Duration.ofMillis(200));

    /** Where the access log goes. */
    public sealed interface Target {}

    /** To the process's standard error stream. */
    public record Stderr() implements Target {}

    /** Nowhere. */
    public record Off() implements Target {}

    /** To the end of a file. */
    public record ToFile(Path path) implements Target {}

    /** Which fragments a page's line lists. */
    public enum Fragments {
        OFF,
        SLOW,
        ERRORS,
        ALL
    }
}
