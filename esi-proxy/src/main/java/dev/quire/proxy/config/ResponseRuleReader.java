package dev.quire.proxy.config;

import static dev.quire.proxy.config.ConfigurationReader.FROM_ZERO;

import dev.quire.core.rule.Matchers;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.ResponseRule;
import dev.quire.core.rule.TemplateParser;
import dev.quire.proxy.cel.CelExpressions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Reads one rule of the response phase. */
final class ResponseRuleReader {
    private static final ValueParser<Boolean> FALSE = truth(false);
    private static final ValueParser<Boolean> TRUE = truth(true);
    private static final ValueParser<Boolean> DROP = RequestRuleReader.only("drop");

    /** Statuses that never have a lifetime of the operator. */
    private static final List<Integer> WITHOUT_LIFETIME =
            List.of(206, 304, 400, 405, 413, 414, 431, 501);

    private final CelExpressions language;

    ResponseRuleReader(CelExpressions language) {
        this.language = language;
    }

    /** A boolean that can only have one value. */
    private static ValueParser<Boolean> truth(boolean only) {
        var word = String.valueOf(only);
        return new ValueParser<>(
                word,
                text -> Optional.of(only).filter(value -> text.equals(word)),
                value -> word,
                new ValueForm("boolean", word, Map.of("const", only)));
    }

    ResponseRule rule(Section section, RuleHead head) {
        var parser = new TemplateParser(language.templatesOf(Phase.RESPONSE), Phase.RESPONSE);
        var statuses = head.match().statuses();
        var lifetime = section.optional("ttl", FROM_ZERO);
        if (lifetime.isPresent()
                && statuses.filter(ResponseRuleReader::isWithoutLifetime).isPresent()) {
            section.warn(
                    "ttl",
                    "has no effect: such a response is never stored for a lifetime of a rule",
                    "another status than " + WITHOUT_LIFETIME);
        }
        var rule =
                new ResponseRule(
                        head.name(),
                        head.condition(),
                        statuses,
                        RuleHead.fields(section, Phase.RESPONSE, parser),
                        lifetime,
                        section.optional("grace", FROM_ZERO),
                        section.optional("stale-if-error", FROM_ZERO),
                        section.optional("store", FALSE).isPresent(),
                        section.someOf("tags", RuleTexts.template(parser)).orElse(List.of()),
                        section.optional("set-cookie", DROP).isPresent(),
                        section.optional("esi", ValueParser.SWITCH),
                        section.optional("fail", TRUE).isPresent(),
                        head.isLast());
        RuleHead.requireAction(section, Phase.RESPONSE);
        return rule;
    }

    private static boolean isWithoutLifetime(Matchers.OfStatus statuses) {
        return IntStream.rangeClosed(200, 599)
                .filter(statuses::contains)
                .allMatch(WITHOUT_LIFETIME::contains);
    }
}
