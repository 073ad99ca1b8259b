package dev.quire.proxy.reference;

import java.time.Duration;

/** The operator's defaults for responses without their own values. */
public record Settings(
        Duration grace, Duration staleIfError, Duration staleIfUnreachable, Duration staleIfSlow) {}
