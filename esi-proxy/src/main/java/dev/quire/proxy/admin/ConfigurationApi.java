package dev.quire.proxy.admin;

import dev.quire.core.http.DurationText;
import dev.quire.core.policy.ErrorGuard;
import dev.quire.proxy.admin.ConfigurationActions.CurrentText;
import dev.quire.proxy.admin.ConfigurationActions.Outcome;
import dev.quire.proxy.config.ConfigurationText;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.config.TimeText;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The endpoints below {@code /v1/config}. They may block. */
final class ConfigurationApi {
    private static final String CONFIRM = "confirm";
    private static final String GUARD = "guard";
    private static final String DRY_RUN = "dryRun";
    private static final String GENERATION = "generation";
    private static final List<String> TERMS = List.of(CONFIRM, GUARD, DRY_RUN);
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final Pattern ENTITY_TAG = Pattern.compile("\"([0-9]{1,18})\"");

    /** The place of problems in a posted text. */
    private static final String POSTED = "request";

    private final ConfigurationActions actions;

    ConfigurationApi(ConfigurationActions actions) {
        this.actions = actions;
    }

    private record Used(
            long generation,
            boolean changed,
            Optional<Duration> confirmWithin,
            List<String> warnings) {}

    private record Valid(long generation, boolean dryRun, List<String> warnings) {}

    private record Generations(List<ConfigurationActions.Generation> generations) {}

    AdminAnswer reload(AdminHead head) {
        var query = QueryParameters.read(head.query(), TERMS);
        return answer(actions.reload(terms(query), query.isOn(DRY_RUN)));
    }

    AdminAnswer use(AdminHead head, byte[] body) {
        var query = QueryParameters.read(head.query(), TERMS);
        return answer(
                actions.use(
                        ConfigurationText.of(POSTED, text(body)),
                        expected(head.ifMatch()),
                        terms(query),
                        query.isOn(DRY_RUN)));
    }

    AdminAnswer confirm() {
        return answer(actions.confirm());
    }

    AdminAnswer rollback(AdminHead head) {
        var number = QueryParameters.read(head.query(), List.of(GENERATION)).value(GENERATION);
        if (number.isPresent() && !NUMBER.matcher(number.get()).matches()) {
            throw new InvalidRequest(
                    "generation: invalid value '" + number.get() + "'",
                    "a number of GET /v1/config/generations");
        }
        return answer(
                actions.rollback(
                        number.map(Long::parseLong)
                                .map(OptionalLong::of)
                                .orElseGet(OptionalLong::empty)));
    }

    AdminAnswer generations() {
        return AdminAnswer.json(new Generations(actions.generations()));
    }

    AdminAnswer current(AdminHead head) {
        var isEffective =
                QueryParameters.read(head.query(), List.of("effective")).isOn("effective");
        CurrentText text = isEffective ? actions.effective() : actions.current();
        return new AdminAnswer(
                200, "application/yaml", text.yaml(), Map.of("etag", "\"" + text.number() + "\""));
    }

    private static ReloadTerms terms(QueryParameters query) {
        return new ReloadTerms(
                query.value(CONFIRM).map(ConfigurationApi::confirmWithin),
                query.value(GUARD).map(ConfigurationApi::guard));
    }

    private static Duration confirmWithin(String text) {
        return TimeText.read(text)
                .filter(time -> time.isPositive())
                .filter(time -> time.compareTo(ReloadTerms.MAX_CONFIRM) <= 0)
                .orElseThrow(() ->
                        new InvalidRequest(
                                "confirm: invalid value '" + text + "'",
                                "a duration such as 60s, at most "
                                        + DurationText.of(ReloadTerms.MAX_CONFIRM)));
    }

    private static ErrorGuard guard(String text) {
        return ErrorGuard.parse(text)
                .orElseThrow(() ->
                        new InvalidRequest(
                                "guard: invalid value '" + text + "'", ErrorGuard.EXPECTED));
    }

    private static OptionalLong expected(String ifMatch) {
        if (ifMatch.isEmpty() || ifMatch.strip().equals("*")) {
            return OptionalLong.empty();
        }
        var number = ENTITY_TAG.matcher(ifMatch.strip());
        if (!number.matches()) {
            throw new InvalidRequest(
                    "If-Match: invalid value '" + ifMatch + "'",
                    "the number of one generation in quotes");
        }
        return OptionalLong.of(Long.parseLong(number.group(1)));
    }

    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
        } catch (CharacterCodingException e) {
            throw new InvalidRequest("the body is not UTF-8", "UTF-8 text");
        }
    }

    private static AdminAnswer answer(Outcome outcome) {
        return switch (outcome) {
            case Outcome.InUse(var number, var isChanged, var within, var warnings) ->
                    AdminAnswer.json(new Used(number, isChanged, within, lines(warnings)));
            case Outcome.Valid(var number, var warnings) ->
                    AdminAnswer.json(new Valid(number, true, lines(warnings)));
            case Outcome.Invalid(var problems) -> AdminAnswer.lines(400, lines(problems));
            case Outcome.Conflict(var what, var expected) ->
                    AdminAnswer.text(409, "409 " + what + " (expected " + expected + ")");
            case Outcome.Superseded(var number) ->
                    AdminAnswer.text(
                            412,
                            "412 generation " + number + " is in use (expected it in If-Match)");
        };
    }

    private static List<String> lines(List<Problem> problems) {
        return problems.stream().map(Problem::toString).toList();
    }
}
