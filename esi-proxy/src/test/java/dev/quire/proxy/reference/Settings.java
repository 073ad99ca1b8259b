package dev.quire.proxy.reference;

import java.time.Duration;

/** What an operator decides where an origin says nothing. */
public record Settings(Duration grace, Duration staleIfError, Duration staleIfUnreachable) {}
