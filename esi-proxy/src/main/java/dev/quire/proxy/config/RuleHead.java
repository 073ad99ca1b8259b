package dev.quire.proxy.config;

import dev.quire.core.rule.Audience;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.FieldEdits;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.rule.TextTemplate;
import dev.quire.proxy.cel.CelExpressions;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The common part of the rules of all phases.
 *
 * @param condition of {@code match} and {@code when}
 * @param isWhole whether {@code match} is the whole condition
 */
record RuleHead(
        String name,
        Audience audience,
        Condition condition,
        MatchReader.Match match,
        boolean isWhole,
        boolean isLast) {
    private static final Set<String> CONDITIONS = Set.of("name", "for", "match", "when");

    private static final Set<String> OF_REQUESTS =
            Set.of(
                    "cookies",
                    "query",
                    "path",
                    "host",
                    "origin",
                    "cache",
                    "key",
                    "unkeyed",
                    "var",
                    "redirect",
                    "respond",
                    "deny",
                    "limit",
                    "auth");
    private static final Set<String> OF_RESPONSES =
            Set.of("ttl", "grace", "stale-if-error", "store", "tags", "set-cookie", "esi", "fail");

    /** The URLs that it accepts, or fewer. */
    UrlMatch url() {
        return isWhole
                ? match.url()
                : new UrlMatch(match.url().hosts(), match.url().paths(), false);
    }

    /** Reads it, and refuses keys of other phases. */
    static RuleHead read(
            Section section, Phase phase, String defaultName, CelExpressions language) {
        var name = section.optional("name", ValueParser.NAME).orElse(defaultName);
        if (phase != Phase.REQUEST) {
            section.refuse(
                    "for",
                    "is a key of rules.request",
                    phase == Phase.RESPONSE
                            ? "a rule for the responses to pages and fragments"
                            : "a rule for the responses to clients");
        }
        var audience =
                phase == Phase.REQUEST
                        ? section.value(
                                "for",
                                ValueParser.oneOf(Audience.class),
                                section.hasAny(Set.of("limit")) ? Audience.CLIENT : Audience.BOTH)
                        : Audience.BOTH;
        section.refuseEmpty("match", "at least one matcher, or no match for all");
        section.refuseEmpty("when", "an expression (CEL), or no when for all");
        var match =
                section.has("match")
                        ? section.section("match", new MatchReader(phase)::match)
                        : MatchReader.Match.ALL;
        var when = section.optional("when", RuleTexts.condition(language, phase));
        boolean isLast = section.value("last", ValueParser.TRUTH, false);
        refuseOthers(section, phase);
        return new RuleHead(
                name,
                audience,
                when.map(expression ->
                                Condition.all(List.of(match.condition(), expression.condition())))
                        .orElse(match.condition()),
                match,
                !section.has("when"),
                isLast);
    }

    private static void refuseOthers(Section section, Phase phase) {
        if (phase != Phase.REQUEST) {
            OF_REQUESTS.forEach(
                    key -> section.refuse(key, "is an action of rules.request", actions(phase)));
        }
        if (phase != Phase.RESPONSE) {
            OF_RESPONSES.forEach(
                    key -> section.refuse(key, "is an action of rules.response", actions(phase)));
        }
    }

    /** Reports a rule that does nothing. */
    static void requireAction(Section section, Phase phase) {
        // Another key is an action, or has been reported.
        if (section.isMapping() && !section.hasOther(CONDITIONS)) {
            section.wrong("name", "is a rule without an action", actions(phase));
        }
    }

    private static String actions(Phase phase) {
        return switch (phase) {
            case REQUEST ->
                    "set, add, unset, cookies, query, path, host, origin, cache, key, var,"
                            + " redirect, respond, deny, limit, auth or last";
            case RESPONSE ->
                    "set, add, unset, ttl, grace, stale-if-error, store, tags, set-cookie, esi,"
                            + " fail or last";
            case DELIVER -> "set, add, unset or last";
        };
    }

    static FieldEdits fields(Section section, Phase phase, TemplateParser parser) {
        var value = RuleTexts.fieldValue(parser);
        var written = RuleTexts.openField(phase, true);
        List<TextPattern> unset =
                section.someOf("unset", RuleTexts.removedFields(phase)).orElse(List.of());
        return new FieldEdits(
                phase,
                unset,
                lines(section.values("set", RuleTexts.once(written), value)),
                lines(section.values("add", RuleTexts.extensibleField(phase), value)));
    }

    static List<FieldEdits.Line> lines(Map<String, TextTemplate> values) {
        return values.entrySet().stream()
                .map(line -> new FieldEdits.Line(line.getKey(), line.getValue()))
                .toList();
    }
}
