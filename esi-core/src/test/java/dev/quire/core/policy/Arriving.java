package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import java.time.Duration;
import java.time.Instant;

/**
 * One exchange with an origin: by default a GET, answered 200 with the given fields without delay,
 * at noon on the wall clock. The monotonic clock has a different time, so that mixing them is
 * noticed.
 */
record Arriving(
        RequestHead request, ResponseHead response, ResponseTimes times, Settings settings) {
    static final Instant NOW = Instant.parse("1983-03-03T03:03:03.003Z");
    static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    static Arriving with(String... namesAndValues) {
        return new Arriving(
                request("GET"),
                new ResponseHead(200, "OK", Fields.of(namesAndValues)),
                new ResponseTimes(NOW, NOW, NOON),
                Settings.DEFAULT);
    }

    static RequestHead request(String method, String... namesAndValues) {
        return new RequestHead(method, Scheme.HTTP, "news.example", "/", Fields.of(namesAndValues));
    }

    /** A date field's value, in seconds from noon. */
    static String noonPlus(long seconds) {
        return HttpDate.format(NOON.plusSeconds(seconds));
    }

    Arriving status(int status) {
        return new Arriving(
                request, new ResponseHead(status, "", response.fields()), times, settings);
    }

    Arriving to(RequestHead other) {
        return new Arriving(other, response, times, settings);
    }

    Arriving under(Settings other) {
        return new Arriving(request, response, times, other);
    }

    /** Returns it with this delay of the response. */
    Arriving after(Duration delay) {
        return new Arriving(
                request, response, new ResponseTimes(NOW.minus(delay), NOW, NOON), settings);
    }

    StorageDecision storing() {
        return CachePolicy.storing(request, response, times, settings);
    }

    Freshness freshness() {
        return switch (storing()) {
            case StorageDecision.Keep keep -> keep.freshness();
            case StorageDecision.Refuse refuse ->
                    throw new AssertionError("expected Keep, found Refuse: " + refuse.reason());
        };
    }

    long lifetime() {
        return freshness().lifetime().toSeconds();
    }

    StorageRefusal refusal() {
        return switch (storing()) {
            case StorageDecision.Keep keep ->
                    throw new AssertionError("expected Refuse, found " + keep);
            case StorageDecision.Refuse refuse -> refuse.reason();
        };
    }
}
