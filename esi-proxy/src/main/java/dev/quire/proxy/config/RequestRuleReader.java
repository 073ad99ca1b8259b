package dev.quire.proxy.config;

import dev.quire.core.rule.CookieFilter;
import dev.quire.core.rule.NameFilter;
import dev.quire.core.rule.PathEdit;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.QueryEdit;
import dev.quire.core.rule.RequestRule;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TextPattern;
import dev.quire.proxy.cel.CelExpressions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one rule of the request phase. */
final class RequestRuleReader {
    private static final ValueParser<Boolean> PASS = only("pass");

    private final CelExpressions language;
    private final Set<String> origins;

    RequestRuleReader(CelExpressions language, Set<String> origins) {
        this.language = language;
        this.origins = origins;
    }

    /** A value that can only be {@code word}; it means true. */
    static ValueParser<Boolean> only(String word) {
        return new ValueParser<>(
                word,
                text -> Optional.of(true).filter(yes -> text.equals(word)),
                yes -> word,
                ValueForm.oneOf(List.of(word)));
    }

    RequestRule rule(Section section, RuleHead head) {
        var groups = head.match().groups();
        var parser =
                new TemplateParser(language.templatesOf(Phase.REQUEST), Phase.REQUEST)
                        .withGroups(groups == null ? 0 : groups.groupCount(), false);
        var template = RuleTexts.template(parser);
        var rule =
                new RequestRule(
                        head.name(),
                        head.audience(),
                        head.condition(),
                        groups,
                        section.values("var", RuleTexts.VARIABLE, template),
                        RuleHead.fields(section, Phase.REQUEST, parser),
                        cookies(section),
                        query(section),
                        path(section, parser),
                        section.optional("host", RuleTexts.host(parser)).orElse(null),
                        origin(section),
                        section.optional("cache", PASS).orElse(false),
                        section.someOf("key", template).orElse(List.of()),
                        section.value("unkeyed", ValueParser.TRUTH, false),
                        new EndingReader(parser).ending(section, head.name()),
                        head.isLast());
        RuleHead.requireAction(section, Phase.REQUEST);
        return rule;
    }

    private @Nullable String origin(Section section) {
        return section.optional("origin", ValueParser.NAME)
                .filter(name -> RouteReader.isKnown(section, name, origins))
                .orElse(null);
    }

    private static @Nullable CookieFilter cookies(Section section) {
        section.requireNonEmpty("cookies");
        return section.has("cookies")
                ? section.section(
                                "cookies",
                                inner ->
                                        filter(inner, RuleTexts.TEXT, true)
                                                .map(it -> new CookieFilter(it)))
                        .orElse(null)
                : null;
    }

    private static @Nullable QueryEdit query(Section section) {
        section.requireNonEmpty("query");
        return section.has("query")
                ? section.section(
                                "query",
                                inner -> {
                                    boolean sorts = inner.value("sort", ValueParser.TRUTH, false);
                                    return filter(inner, RuleTexts.TEXT, !sorts)
                                            .map(it -> new QueryEdit(it, sorts));
                                })
                        .orElse(null)
                : null;
    }

    /** Reads {@code keep} or {@code drop}. */
    private static Optional<NameFilter> filter(
            Section section, ValueParser<TextPattern> notation, boolean isNeeded) {
        boolean keeps = section.has("keep") && !section.isNull("keep");
        var kept = section.oneOrMore("keep", notation);
        var dropped = section.someOf("drop", notation).orElse(List.of());
        boolean drops = section.hasAny(Set.of("drop"));
        if (section.hasAny(Set.of("keep")) && drops) {
            section.wrong("drop", "cannot be combined with keep", "one of the two");
        }
        if (isNeeded && !section.hasAny(Set.of("keep", "drop"))) {
            section.wrong("keep", "is missing", "keep or drop");
            return Optional.empty();
        }
        return Optional.of(new NameFilter(keeps ? kept : dropped, keeps));
    }

    private static @Nullable PathEdit path(Section section, TemplateParser parser) {
        PathEdit edit = null;
        if (section.isMapping("path")) {
            edit = section.section("path", inner -> matched(inner, parser)).orElse(null);
        }
        if (section.isSingle("path")) {
            edit =
                    section.optional("path", RuleTexts.path(parser))
                            .map(with -> new PathEdit(null, with))
                            .orElse(edit);
        }
        return edit;
    }

    private static Optional<PathEdit> matched(Section section, TemplateParser parser) {
        var match = section.required("match", RuleTexts.SEARCH);
        int groups = match.map(TextPattern::groupCount).orElse(9);
        var with = section.required("with", RuleTexts.path(parser.withGroups(groups, true)));
        return match.isPresent() && with.isPresent()
                ? Optional.of(new PathEdit(match.get(), with.get()))
                : Optional.empty();
    }
}
