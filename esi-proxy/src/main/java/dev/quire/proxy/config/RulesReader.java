package dev.quire.proxy.config;

import dev.quire.core.rule.DeliverRule;
import dev.quire.core.rule.DeliverRules;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.RequestRules;
import dev.quire.core.rule.ResponseRules;
import dev.quire.core.rule.Rules;
import dev.quire.core.rule.TemplateParser;
import dev.quire.proxy.cel.CelExpressions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Reads the section {@code rules}. Used once. */
final class RulesReader {
    private final CelExpressions language;
    private final Set<String> origins;

    /** The position of each name: metrics and cache keys use it. */
    private final Map<String, Problem.Place> names = new HashMap<>();

    /**
     * @param origins the names that rules can choose
     */
    RulesReader(CelExpressions language, Set<String> origins) {
        this.language = language;
        this.origins = origins;
    }

    Rules rules(Section root) {
        return root.section(
                "rules",
                section -> {
                    var reach = new RuleReach();
                    var rewrites = new LateRewrites();
                    var requests = new RequestRuleReader(language, origins);
                    var request =
                            rules(
                                    section,
                                    Phase.REQUEST,
                                    (each, head) -> {
                                        var rule = requests.rule(each, head);
                                        reach.add(each, head, rule);
                                        rewrites.add(each, head, rule);
                                        return rule;
                                    });
                    rewrites.warn();
                    var responses = new ResponseRuleReader(language);
                    var response = rules(section, Phase.RESPONSE, responses::rule);
                    var responseRules =
                            new ResponseRules(response, source(section, Phase.RESPONSE));
                    var deliver = rules(section, Phase.DELIVER, this::deliverRule);
                    var all =
                            new Rules(
                                    new RequestRules(
                                            request,
                                            responseRules.variables(),
                                            section.sources(Phase.REQUEST.key())),
                                    responseRules,
                                    new DeliverRules(deliver, source(section, Phase.DELIVER)));
                    return all.isEmpty() ? Rules.NONE : all;
                });
    }

    private static String source(Section section, Phase phase) {
        return String.join("", section.sources(phase.key()));
    }

    private <T> List<T> rules(
            Section section, Phase phase, BiFunction<Section, RuleHead, T> reading) {
        var number = new int[1];
        var hidden = new RuleReach.AfterLast();
        return section.sections(
                phase.key(),
                each -> {
                    var name = phase.key() + "[" + number[0]++ + "]";
                    var head = RuleHead.read(each, phase, name, language);
                    checkName(each, head.name());
                    if (phase != Phase.REQUEST) {
                        hidden.add(each, head);
                    }
                    return reading.apply(each, head);
                });
    }

    private void checkName(Section section, String name) {
        var first = names.putIfAbsent(name, section.place());
        if (first != null) {
            section.wrong("name", "is also the name of the rule at " + first, "another name");
        }
    }

    private DeliverRule deliverRule(Section section, RuleHead head) {
        var parser = new TemplateParser(language.templatesOf(Phase.DELIVER), Phase.DELIVER);
        var fields = RuleHead.fields(section, Phase.DELIVER, parser);
        RuleHead.requireAction(section, Phase.DELIVER);
        return new DeliverRule(head.name(), head.condition(), fields, head.isLast());
    }
}
