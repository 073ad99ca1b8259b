package dev.quire.proxy.reference;

import java.time.Duration;

/**
 * The operator's defaults for responses without their own values.
 *
 * @param keepsOtherVary whether a response with other selecting fields than a newer one is kept
 */
public record Settings(
        Duration grace,
        Duration staleIfError,
        Duration staleIfUnreachable,
        Duration staleIfSlow,
        boolean keepsOtherVary) {}
