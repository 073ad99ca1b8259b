package dev.quire.proxy.check;

import dev.quire.core.http.DurationText;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.Admission;
import dev.quire.core.policy.Freshness;
import dev.quire.core.policy.StorageRefusal;
import dev.quire.proxy.config.RuleTest;
import dev.quire.proxy.config.RuleTest.Expectation;
import dev.quire.proxy.config.RuleTest.Result;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The results of one test, as text. */
final class Outcome {
    private final Map<Result, String> values = new EnumMap<>(Result.class);
    private List<String> rules = List.of();
    private Fields sent = Fields.EMPTY;
    private Fields delivered = Fields.EMPTY;
    private Optional<StorageRefusal> refusal = Optional.empty();

    void put(Result result, String text) {
        values.put(result, text);
    }

    void put(Result result, List<String> texts) {
        values.put(result, RuleTest.text(texts));
    }

    void rules(List<String> names) {
        rules = List.copyOf(names);
        put(Result.RULES, names);
    }

    /** The names of the rules that applied, in order. */
    List<String> rules() {
        return rules;
    }

    /** Adds the fields of the request to the origin. */
    void sent(Fields fields) {
        sent = fields;
        put(
                Result.COOKIES,
                fields.all("Cookie").stream()
                        .flatMap(line -> List.of(line.split(";")).stream())
                        .map(pair -> pair.strip().split("=", 2)[0])
                        .toList());
    }

    /** Adds the fields of the response to the client. */
    void delivered(Fields fields) {
        delivered = fields;
        var location = fields.first("Location");
        if (location != null) {
            put(Result.LOCATION, location);
        }
    }

    void stored(Admission.Decision decision) {
        switch (decision) {
            case Admission.Decision.Store store -> {
                put(Result.STORED, "true");
                lifetimes(store.freshness());
            }
            case Admission.Decision.Compile compile -> refused(compile.reason());
            case Admission.Decision.Flow flow -> refused(flow.reason());
            case Admission.Decision.TooLarge tooLarge -> refused(StorageRefusal.SIZE);
        }
    }

    private void refused(StorageRefusal reason) {
        put(Result.STORED, "false");
        refusal = Optional.of(reason);
    }

    private void lifetimes(Freshness freshness) {
        var left = freshness.lifetime().minus(freshness.initialAge());
        put(Result.TTL, DurationText.of(left.isNegative() ? Duration.ZERO : left));
        put(Result.GRACE, DurationText.of(freshness.grace()));
        put(Result.STALE_IF_ERROR, DurationText.of(freshness.staleIfError()));
    }

    /** Whether the result is the expected one. */
    boolean is(Expectation expectation) {
        return value(expectation).equals(expectation.text());
    }

    /** The result, for messages. */
    String shown(Expectation expectation) {
        var value = value(expectation);
        return switch (expectation.result()) {
            case STORED, TTL, GRACE, STALE_IF_ERROR ->
                    refusal.map(reason -> "the response is not stored: " + reason.description())
                            .orElseGet(() -> "is " + value.orElse("absent"));
            default -> value.map(text -> "is '" + text + "'").orElse("is absent");
        };
    }

    private Optional<String> value(Expectation expectation) {
        return switch (expectation.result()) {
            case FIELD -> field(sent, expectation.name());
            case DELIVERED -> field(delivered, expectation.name());
            default -> Optional.ofNullable(values.get(expectation.result()));
        };
    }

    private static Optional<String> field(Fields fields, String name) {
        var lines = fields.all(name);
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }
}
