package dev.quire.test.memory;

import java.time.Instant;
import java.util.function.Supplier;

/**
 * The times a cache needs.
 *
 * @param now monotonic, for ages and lifetimes
 * @param wall of day
 * @param originWall the time of day as the application has it
 * @param steadyWall the same if nobody had set a clock since the start
 */
public record Times(
        Supplier<Instant> now,
        Supplier<Instant> wall,
        Supplier<Instant> originWall,
        Supplier<Instant> steadyWall) {}
