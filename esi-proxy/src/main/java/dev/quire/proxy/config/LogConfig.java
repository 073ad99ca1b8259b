package dev.quire.proxy.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The {@code log} section.
 *
 * @param access the target of the access log
 * @param fragments which fragments of a page are logged
 * @param slow duration from which a fragment counts as slow
 */
public record LogConfig(Target access, Fragments fragments, Duration slow) {

    static final LogConfig DEFAULTS =
            new LogConfig(new Stderr(), Fragments.SLOW, Duration.ofMillis(200));

    /** The target of the access log. */
    public sealed interface Target {}

    /** The process's standard error stream. */
    public record Stderr() implements Target {}

    /** No access log. */
    public record Off() implements Target {}

    /** A file, to which lines are appended. */
    public record ToFile(Path path) implements Target {}

    /** Which fragments of a page are logged. */
    public enum Fragments {
        OFF,
        SLOW,
        ERRORS,
        ALL
    }
}
