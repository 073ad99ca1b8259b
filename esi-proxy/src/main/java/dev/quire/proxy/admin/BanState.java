package dev.quire.proxy.admin;

import java.time.Duration;

/**
 * One ban.
 *
 * @param age since it was made
 * @param hidden stored responses it has hidden so far
 * @param isCompleted whether nothing is left that it could hide
 */
public record BanState(
        long id, BanRequest condition, Duration age, long hidden, boolean isCompleted) {}
