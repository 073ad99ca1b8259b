package dev.quire.proxy.log;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One fragment of a page.
 *
 * @param url absolute
 * @param outcome hit, stale, miss, pass, or what stood in
 * @param took from the request for it until it was whole
 * @param status of its response; 0 if there was none
 * @param error why it failed; null if it did not
 */
public record FragmentEntry(
        String url, String outcome, Duration took, int status, @Nullable String error) {}
