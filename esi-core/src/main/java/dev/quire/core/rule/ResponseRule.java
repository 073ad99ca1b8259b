package dev.quire.core.rule;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A rule of the response phase: what it changes is stored.
 *
 * @param condition reads only the URL, the response and variables
 * @param statuses the statuses that its {@code status} matcher names
 * @param lifetime the freshness lifetime, counted from the arrival
 * @param grace how long past its lifetime the response may be served while it is refreshed
 * @param staleIfError how long past its lifetime it may be served instead of an error
 * @param isUnstored whether it is not stored
 * @param tags added to those of the response
 * @param dropsCookies whether its Set-Cookie lines are removed
 * @param processesEsi whether it is parsed, if it is text of a parsed type
 * @param fails whether it counts as a failure of the origin
 */
public record ResponseRule(
        String name,
        Condition condition,
        Optional<Matchers.OfStatus> statuses,
        FieldEdits fields,
        Optional<Duration> lifetime,
        Optional<Duration> grace,
        Optional<Duration> staleIfError,
        boolean isUnstored,
        List<TextTemplate> tags,
        boolean dropsCookies,
        Optional<Boolean> processesEsi,
        boolean fails,
        boolean isLast) {

    public ResponseRule {
        tags = List.copyOf(tags);
    }

    /** Whether its lifetime is meant for {@code status}, which the rule names. */
    boolean namesStatus(int status) {
        return statuses.isPresent() && statuses.get().contains(status);
    }
}
