package dev.quire.proxy.config;

import dev.quire.core.rule.Condition;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.Matchers;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.Phase;
import dev.quire.core.rule.Share;
import dev.quire.core.rule.TextPattern;
import dev.quire.core.text.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code match} of the rules of one phase: all its keys must match, each with one of its
 * values. Cheap matchers are tested first.
 */
final class MatchReader {
    private static final String NOT = "not";

    /** Without a value, they would match everything. */
    private static final List<String> OF_ONE_VALUE = List.of("scheme", "trusted");

    private static final List<String> OF_NAMES =
            List.of("var", "query", "header", "response", "cookie");

    private static final String OF_COOKIE = "cookie ";

    /** The name of a cookie, or nothing for the client. */
    private static final ValueParser<Optional<String>> SHARED =
            ValueParser.<Optional<String>>matching(
                            "word",
                            "client, or cookie and the name of a cookie",
                            "client|cookie .+",
                            ValueParser.orNothing(
                                    "client",
                                    text ->
                                            Optional.of(text)
                                                    .filter(it -> it.startsWith(OF_COOKIE))
                                                    .map(it -> it.substring(OF_COOKIE.length()))
                                                    .flatMap(ValueParser.COOKIE.reading())))
                    .writing(cookie -> cookie.map(OF_COOKIE::concat).orElse("client"));

    private final Phase phase;

    MatchReader(Phase phase) {
        this.phase = phase;
    }

    /**
     * The matched requests or responses of a rule.
     *
     * @param groups the only pattern of the path, if it is a regular expression
     * @param statuses the matcher of the status
     */
    record Match(
            Condition condition,
            UrlMatch url,
            @Nullable TextPattern groups,
            Optional<Matchers.OfStatus> statuses) {
        static final Match ALL = new Match(Condition.ALWAYS, UrlMatch.ALL, null, Optional.empty());
    }

    Match match(Section section) {
        return match(section, true);
    }

    private Match match(Section section, boolean mayNegate) {
        OF_ONE_VALUE.forEach(key -> section.refuseEmpty(key, "a value"));
        OF_NAMES.forEach(key -> section.refuseEmpty(key, "at least one NAME: PATTERN"));
        section.refuseEmpty(NOT, "at least one matcher");
        var conditions = new ArrayList<Condition>();
        if (reads(section, "method", Input.METHOD)) {
            section.someOf("method", RuleTexts.METHOD)
                    .map(Matchers::method)
                    .ifPresent(conditions::add);
        }
        section.optional("scheme", RuleTexts.SCHEME)
                .map(Matchers::scheme)
                .ifPresent(conditions::add);
        if (reads(section, "trusted", Input.CLIENT)) {
            section.optional("trusted", ValueParser.TRUTH)
                    .map(Matchers::trusted)
                    .ifPresent(conditions::add);
        }
        var statuses = addResponse(section, conditions);
        int others = conditions.size();
        var hosts = section.someOf("host", RuleTexts.HOST);
        hosts.map(Matchers::host).ifPresent(conditions::add);
        var paths = section.someOf("path", RuleTexts.PATH).orElse(List.of());
        if (!paths.isEmpty()) {
            conditions.add(Matchers.path(globs(paths), searches(paths)));
        }
        int urls = conditions.size();
        addNamed(section, conditions);
        if (reads(section, "client", Input.CLIENT)) {
            section.someOf("client", ValueParser.NETWORK)
                    .map(MatchReader::client)
                    .ifPresent(conditions::add);
        }
        if (reads(section, "share", Input.CLIENT) && section.has("share")) {
            section.section("share", MatchReader::share).ifPresent(conditions::add);
        }
        if (!mayNegate) {
            section.refuse(NOT, "is inside another not", "the matchers without it");
        }
        var negated =
                mayNegate && section.has(NOT)
                        ? Optional.of(section.section(NOT, inner -> match(inner, false)))
                        : Optional.<Match>empty();
        negated.map(Match::condition).map(Condition::not).ifPresent(conditions::add);
        var url =
                url(
                        hosts.orElse(UrlMatch.ANY_HOST),
                        paths,
                        others == 0 && urls == conditions.size());
        if (negated.filter(not -> not.url().covers(url)).isPresent()) {
            section.warn("no request matches: not excludes all of them", "other URLs in not");
        }
        return new Match(Condition.all(conditions), url, groups(paths), statuses);
    }

    private static UrlMatch url(
            List<HostPattern> hosts, List<RuleTexts.PathMatch> paths, boolean isOfUrl) {
        boolean isSearched = !searches(paths).isEmpty();
        return new UrlMatch(
                hosts,
                paths.isEmpty() || isSearched ? UrlMatch.ANY_PATH : globs(paths),
                isOfUrl && !isSearched);
    }

    /** Adds the matchers of the response, and returns that of the status. */
    private Optional<Matchers.OfStatus> addResponse(Section section, List<Condition> conditions) {
        var statuses = Optional.<Matchers.OfStatus>empty();
        if (reads(section, "status", Input.STATUS)) {
            statuses = section.someOf("status", RuleTexts.STATUSES).map(Matchers.OfStatus::new);
            statuses.ifPresent(conditions::add);
        }
        if (reads(section, "outcome", Input.OUTCOME)) {
            section.someOf("outcome", RuleTexts.OUTCOME)
                    .map(Matchers::outcome)
                    .ifPresent(conditions::add);
        }
        if (reads(section, "type", Input.TYPE)) {
            section.someOf("type", RuleTexts.ANY_CASE)
                    .map(Matchers::type)
                    .ifPresent(conditions::add);
        }
        return statuses;
    }

    /** Adds the matchers of values that have names. */
    private void addNamed(Section section, List<Condition> conditions) {
        section.valueLists("var", RuleTexts.VARIABLE, RuleTexts.TEXT)
                .forEach((name, patterns) -> conditions.add(Matchers.variable(name, patterns)));
        section.valueLists("query", ValueParser.VARIABLE_KEY, RuleTexts.TEXT)
                .forEach((name, patterns) -> conditions.add(Matchers.query(name, patterns)));
        if (reads(section, "header", Input.HEADER)) {
            section.valueLists("header", RuleTexts.FIELD, RuleTexts.TEXT)
                    .forEach((name, patterns) -> conditions.add(Matchers.header(name, patterns)));
        }
        if (reads(section, "response", Input.RESPONSE)) {
            section.valueLists("response", RuleTexts.FIELD, RuleTexts.TEXT)
                    .forEach((name, patterns) -> conditions.add(Matchers.response(name, patterns)));
        }
        if (reads(section, "cookie", Input.COOKIE)) {
            section.valueLists("cookie", ValueParser.COOKIE, RuleTexts.TEXT)
                    .forEach((name, patterns) -> conditions.add(Matchers.cookie(name, patterns)));
        }
        if (reads(section, "cookie-name", Input.COOKIE)) {
            section.someOf("cookie-name", RuleTexts.TEXT)
                    .map(Matchers::cookieNamed)
                    .ifPresent(conditions::add);
        }
    }

    /** Whether rules of this phase can read {@code input}; otherwise {@code key} is refused. */
    private boolean reads(Section section, String key, Input input) {
        if (phase.reads(input)) {
            return true;
        }
        section.refuse(key, "reads " + phase.unreadable(input), "a matcher of " + phase.readable());
        return false;
    }

    private static Optional<Condition> share(Section section) {
        var of = section.required("of", SHARED);
        var percent = section.required("percent", ValueParser.number(0, 100));
        if (of.isEmpty() || percent.isEmpty()) {
            return Optional.empty();
        }
        var share = new Share(percent.get());
        return Optional.of(
                of.get()
                        .map(cookie -> Matchers.share(share, cookie))
                        .orElseGet(() -> Matchers.share(share)));
    }

    private static Condition client(List<Network> networks) {
        var ranges = networks.toArray(Network[]::new);
        return Matchers.client(address -> {
            for (var range : ranges) {
                if (range.contains(address)) {
                    return true;
                }
            }
            return false;
        });
    }

    private static List<PathPattern> globs(List<RuleTexts.PathMatch> paths) {
        return paths.stream()
                .filter(RuleTexts.PathMatch.Glob.class::isInstance)
                .map(path -> ((RuleTexts.PathMatch.Glob) path).pattern())
                .toList();
    }

    private static List<TextPattern> searches(List<RuleTexts.PathMatch> paths) {
        return paths.stream()
                .filter(RuleTexts.PathMatch.Search.class::isInstance)
                .map(path -> ((RuleTexts.PathMatch.Search) path).pattern())
                .toList();
    }

    private static @Nullable TextPattern groups(List<RuleTexts.PathMatch> paths) {
        return paths.size() == 1 && paths.getFirst() instanceof RuleTexts.PathMatch.Search(var it)
                ? it
                : null;
    }
}
