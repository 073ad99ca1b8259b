package dev.quire.proxy.log;

import dev.quire.proxy.exchange.ExchangeTrace.FragmentTrace;
import dev.quire.proxy.exchange.RequestId;
import dev.quire.proxy.exchange.TierSearch;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Entries of the access log. */
final class Entries {
    private Entries() {}

    /** A miss whose page has a fast, a slow and a failed fragment. */
    static AccessEntry entry(String client, AccessEntry.Request request) {
        try {
            return new AccessEntry(
                    Instant.parse("2026-01-02T03:04:05.678901Z"),
                    RequestId.create(),
                    InetAddress.getByName(client),
                    request,
                    new AccessEntry.Response(200, 1234, 0, 12_045_678, 1_500_000),
                    new AccessEntry.Handling(
                            "miss",
                            "uri-miss",
                            "set-cookie",
                            "http://10.0.0.1:8081",
                            1_250_000,
                            TierSearch.without(350_000),
                            List.of(
                                    new FragmentTrace(
                                            "http://a/fast",
                                            "hit",
                                            Duration.ofNanos(100_000),
                                            200,
                                            null,
                                            new TierSearch(TierSearch.DISK, 90_000)),
                                    new FragmentTrace(
                                            "http://a/slow",
                                            "miss",
                                            Duration.ofMillis(200),
                                            200,
                                            null,
                                            null),
                                    new FragmentTrace(
                                            "http://a/bad",
                                            "error",
                                            Duration.ofMillis(1),
                                            500,
                                            "status",
                                            null))),
                    0);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
