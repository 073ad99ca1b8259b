package dev.quire.test;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.StorageDecision;
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

/**
 * An answer of the application to one user, and how a shared cache with default settings would
 * treat it.
 *
 * @param isShared whether it would be stored for others, ignoring a cookie that it sets: whether it
 *     is declared public
 * @param lifetime its freshness lifetime; zero if it has none
 */
record SharedAnswer(User user, Response response, boolean isShared, Duration lifetime) {
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
        return switch (Terms.judged(host, target, sent, head, now)) {
            case StorageDecision.Keep(var freshness) ->
                    new SharedAnswer(user, response, true, freshness.lifetime());
            case StorageDecision.Refuse(var reason) ->
                    new SharedAnswer(user, response, false, Duration.ZERO);
        };
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
