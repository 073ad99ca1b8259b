package dev.quire.proxy.cache;

import java.time.Instant;

/**
 * A ban, as it stands at one moment.
 *
 * @param number counts up from 1 with every ban
 * @param since when it was made, monotonic
 * @param hidden how many stored responses it has hidden so far, those of the bans it replaced
 *     included
 * @param isCompleted whether nothing is left that it could hide
 */
public record Ban(
        long number, BanCondition condition, Instant since, long hidden, boolean isCompleted) {}
