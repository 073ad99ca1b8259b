package dev.quire.core.policy;

import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * When one exchange with the origin took place.
 *
 * @param requestedAt when the request was sent, on the monotonic clock
 * @param receivedAt when the response head came, on the monotonic clock
 * @param receivedWall the same moment on the wall clock, which is the one {@code Date} speaks of
 * @param receivedSteadyWall the same as the wall clock would have it if nobody had set it since the
 *     start
 */
public record Moments(
        Instant requestedAt, Instant receivedAt, Instant receivedWall, Instant receivedSteadyWall) {

    /** Where nobody has set the wall clock. */
    public Moments(Instant requestedAt, Instant receivedAt, Instant receivedWall) {
        this(requestedAt, receivedAt, receivedWall, receivedWall);
    }

    /** The age of {@code response} as it arrived (RFC 9111 §4.2.3). */
    Duration initialAge(Fields response) {
        var delay = Duration.between(requestedAt, receivedAt);
        var apparent = apparentAge(response, delay);
        var corrected = ageField(response).plus(delay);
        var larger = apparent.compareTo(corrected) > 0 ? apparent : corrected;
        return larger.isNegative() ? Duration.ZERO : larger;
    }

    /**
     * The age that Date tells of. One there seems to be by only one of the two wall clocks is that
     * clock's fault: set an hour ahead, nothing would ever be fresh. And Date knows whole seconds
     * only: what bears one that had not ended when we asked has been made since, and would else
     * lose up to a second of its lifetime, which is all that some have.
     */
    private Duration apparentAge(Fields response, Duration delay) {
        var received =
                receivedWall.isBefore(receivedSteadyWall) ? receivedWall : receivedSteadyWall;
        var made = dateOf(response);
        boolean isMadeSinceAsked = made.plusSeconds(1).isAfter(received.minus(delay));
        return isMadeSinceAsked ? Duration.ZERO : Duration.between(made, received);
    }

    /** When {@code response} was made: its Date, or without a valid one when it came. */
    Instant dateOf(Fields response) {
        return date(response, "Date").orElse(receivedWall);
    }

    /** The time in the first line called {@code name}, if it is one. */
    Optional<Instant> date(Fields response, String name) {
        return Optional.ofNullable(response.first(name))
                .flatMap(text -> HttpDate.parse(text, receivedWall));
    }

    /** The first member of the first Age line; anything but a number says nothing. */
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
