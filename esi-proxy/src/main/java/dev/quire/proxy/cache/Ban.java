package dev.quire.proxy.cache;

import java.time.Instant;

/**
 * The state of a ban at one moment.
 *
 * @param number starts at 1 and grows with every ban
 * @param since when it was created, monotonic
 * @param hidden how many stored responses it has hidden so far, including those of the bans it
 *     replaced
 * @param isCompleted whether no stored response is left that it could hide
 */
public record Ban(
        long number, BanCondition condition, Instant since, long hidden, boolean isCompleted) {}
