package dev.quire.test;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.StorageDecision;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.test.wire.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the application to one user, and how a shared cache with default settings would
 * treat it.
 *
 * @param refusal why it would not be stored for others, ignoring a cookie that it sets; empty if it
 *     is declared public
 * @param lifetime its freshness lifetime; zero if it has none
 */
record SharedAnswer(
        User user, Response response, Optional<StorageRefusal> refusal, Duration lifetime) {
    private static final List<String> SAY =
            List.of("Surrogate-Control", "CDN-Cache-Control", "Cache-Control", "Expires");

    /**
     * Evaluates {@code response}, the answer to a GET of {@code target} with the fields {@code
     * sent}.
     */
    static SharedAnswer of(User user, String target, Fields sent, Response response) {
        // a cookie that it sets is reported separately
        var fields = response.fields().without("set-cookie"::equalsIgnoreCase);
        var now =
                Optional.ofNullable(fields.first("Date"))
                        .flatMap(HttpDate::parse)
                        .orElseGet(Instant::now);
        var host = Optional.ofNullable(sent.first("Host")).orElse("localhost");
        var head = new ResponseHead(response.status(), "", fields);
        var open = sent.without("authorization"::equalsIgnoreCase);
        var decision = Terms.judged(host, target, open, head, now);
        if (decision instanceof StorageDecision.Keep) {
            decision = Terms.judged(host, target, sent, head, now);
        }
        return switch (decision) {
            case StorageDecision.Keep(var freshness) ->
                    new SharedAnswer(user, response, Optional.empty(), freshness.lifetime());
            case StorageDecision.Refuse(var reason) ->
                    new SharedAnswer(user, response, Optional.of(reason), Duration.ZERO);
        };
    }

    boolean isShared() {
        return refusal.isEmpty();
    }

    /**
     * Whether only the Authorization of its request forbids storing it (RFC 9111 §3.5). A cache may
     * send the copy of another user in its place.
     */
    boolean isAuthorized() {
        return refusal.filter(StorageRefusal.AUTHORIZATION::equals).isPresent();
    }

    /** Why it is private, as far as it says so; null if it does not. */
    @Nullable String reason() {
        return isAuthorized()
                ? StorageRefusal.AUTHORIZATION.description()
                : response.field("X-Quire-Guard");
    }

    Set<String> vary() {
        return FieldList.members(response.fields().all("Vary")).stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    Set<String> agreedVary(SharedAnswer other) {
        var both = vary();
        both.retainAll(other.vary());
        return both;
    }

    String said() {
        var said = new StringJoiner(" · ").setEmptyValue("no caching fields");
        for (var name : SAY) {
            response.fields().all(name).forEach(value -> said.add(name + ": " + value));
        }
        response.fields().all("Vary").forEach(value -> said.add("Vary: " + value));
        return said.toString();
    }
}
