package dev.quire.proxy.config;

import dev.quire.core.rule.Audience;
import dev.quire.core.rule.Condition;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.RequestRule;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Warns of request rules that no request reaches, and of redirects of a URL to itself. */
final class RuleReach {
    private static final Set<Input> OF_URL =
            EnumSet.of(Input.SCHEME, Input.HOST, Input.PATH, Input.QUERY);

    private final UrlIndex<Ending> endings = new UrlIndex<>();

    /** Those that end the phase for other URLs too. */
    private final List<Ending> ofAll = new ArrayList<>();

    /** A rule after which no other one is applied, with the requests that it takes. */
    private record Ending(String name, Audience audience, UrlMatch url) {
        boolean takesAll(RuleHead head) {
            return (audience == Audience.BOTH || audience == head.audience())
                    && url.covers(head.url());
        }

        /** Adds it to {@code endings}, unless it can cover no other match. */
        void addTo(UrlIndex<Ending> endings) {
            if (url.isExact()) {
                endings.add(url, this);
            }
        }
    }

    /** Adds the next rule of the list, read from {@code section}. */
    void add(Section section, RuleHead head, RequestRule rule) {
        endings.first(head.url(), ending -> ending.takesAll(head))
                .ifPresent(ending -> warn(section, ending.name()));
        if (rule.path() != null || rule.host() != null) {
            // Later rules see other URLs.
            endings.clear();
            ofAll.forEach(ending -> endings.add(ending.url(), ending));
        }
        if (head.isLast() || ends(rule.ending())) {
            var ending = new Ending(head.name(), head.audience(), head.url());
            ending.addTo(endings);
            if (ending.url().covers(UrlMatch.ALL)) {
                ofAll.add(ending);
            }
        }
        if (rule.ending() instanceof EndingAction.Redirect redirect
                && OF_URL.containsAll(head.condition().inputs())
                && isSame(redirect.to().toString(), head.condition())) {
            section.warn("redirects a URL to itself", "another URL in to, or a match of scheme");
        }
    }

    private static void warn(Section section, String earlier) {
        section.warn(
                "no request reaches this rule: rule '" + earlier + "' ends the phase first",
                "it before '" + earlier + "'");
    }

    private static boolean ends(@Nullable EndingAction action) {
        return switch (action) {
            case null -> false;
            case EndingAction.Redirect redirect -> true;
            case EndingAction.Respond respond -> true;
            case EndingAction.Deny deny -> true;
            // Admitted requests continue.
            case EndingAction.Limit limit -> false;
            case EndingAction.Login login -> false;
        };
    }

    private static boolean isSame(String to, Condition condition) {
        return switch (to) {
            case "{target}", "//{host}{target}", "{scheme}://{host}{target}" -> true;
            // Without the query, the condition may no longer hold.
            case "{path}", "//{host}{path}", "{scheme}://{host}{path}" ->
                    !condition.inputs().contains(Input.QUERY);
            default -> false;
        };
    }

    /** Warns of rules behind an unconditional {@code last}. */
    static final class AfterLast {
        private final UrlIndex<Ending> endings = new UrlIndex<>();

        void add(Section section, RuleHead head) {
            endings.first(head.url(), ending -> ending.takesAll(head))
                    .ifPresent(ending -> warn(section, ending.name()));
            if (head.isLast()) {
                new Ending(head.name(), Audience.BOTH, head.url()).addTo(endings);
            }
        }
    }
}
