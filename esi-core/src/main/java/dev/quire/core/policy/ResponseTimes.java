package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The times of one exchange with the origin.
 *
 * @param requestedAt when the request was sent, on the monotonic clock
 * @param receivedAt when the response head arrived, on the monotonic clock
 * @param receivedWall when the response head arrived, on the wall clock, like {@code Date}
 * @param receivedSteadyWall the same on a wall clock that was never adjusted since the start
 */
public record ResponseTimes(
        Instant requestedAt, Instant receivedAt, Instant receivedWall, Instant receivedSteadyWall) {

    /** Creates the times for a wall clock that was not adjusted. */
    public ResponseTimes(Instant requestedAt, Instant receivedAt, Instant receivedWall) {
        this(requestedAt, receivedAt, receivedWall, receivedWall);
    }

    /** Returns the age of {@code response} when it arrived (RFC 9111 §4.2.3). */
    Duration initialAge(Fields response) {
        var delay = Duration.between(requestedAt, receivedAt);
        var apparent = apparentAge(response, delay);
        var corrected = ageField(response).plus(delay);
        var larger = apparent.compareTo(corrected) > 0 ? apparent : corrected;
        return larger.isNegative() ? Duration.ZERO : larger;
    }

    /**
     * Returns the age according to Date. If only one of the two wall clocks reports an age, that
     * clock is wrong; a clock set an hour ahead must not make every response stale. A Date in the
     * same second as the request or later counts as age zero: otherwise its lack of fractions would
     * cost up to a second of the lifetime.
     */
    private Duration apparentAge(Fields response, Duration delay) {
        var received =
                receivedWall.isBefore(receivedSteadyWall) ? receivedWall : receivedSteadyWall;
        var made = dateOf(response);
        boolean isMadeSinceAsked = made.plusSeconds(1).isAfter(received.minus(delay));
        return isMadeSinceAsked ? Duration.ZERO : Duration.between(made, received);
    }

    /** Returns when {@code response} was made: its Date, or without a valid one its arrival. */
    Instant dateOf(Fields response) {
        return date(response, "Date").orElse(receivedWall);
    }

    /** Returns the time in the first line called {@code name}, if it is valid. */
    Optional<Instant> date(Fields response, String name) {
        return Optional.ofNullable(response.first(name))
                .flatMap(text -> HttpDate.parse(text, receivedWall));
    }

    /** Returns the first member of the first Age line; zero if it is not a number. */
    private static Duration ageField(Fields response) {
        var line = response.first("Age");
        if (line == null) {
            return Duration.ZERO;
        }
        int comma = line.indexOf(',');
        var member = comma < 0 ? line : line.substring(0, comma);
        return Duration.ofSeconds(Math.max(0, DeltaSeconds.parse(member.strip())));
    }
}
