package dev.quire.proxy.config;

import dev.quire.core.rule.Audience;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.HostPattern;
import dev.quire.core.rule.Input;
import dev.quire.core.rule.PathPattern;
import dev.quire.core.rule.RequestRule;
import dev.quire.core.rule.TextPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Warns of request rules that change other paths to those that an earlier {@code deny} or {@code
 * auth} protects, unless a later one checks them. Knows new paths by their literal beginning only.
 */
final class LateRewrites {
    /** The literal text at the start of a template, and whether the path follows. */
    private static final Pattern TEMPLATE = Pattern.compile("(/[^{}*]*)(\\{path})?.*");

    /** The literal text at the start of an expression that is searched from the start. */
    private static final Pattern EXPRESSION =
            Pattern.compile("~\\^(/[\\w/%~-]*?)(?:[\\w/%~-][?*{][^|]*|[^\\w/%~?*{|-][^|]*|)");

    private final List<Guard> guards = new ArrayList<>();
    private final List<Rewrite> rewrites = new ArrayList<>();

    /**
     * A rule that refuses some requests for its paths.
     *
     * @param others the values but the URL on which it depends
     */
    private record Guard(
            String name,
            Problem.Place place,
            Audience audience,
            UrlMatch url,
            @Nullable TextPattern search,
            Set<Input> others,
            Class<? extends EndingAction> action) {

        static Guard of(Section section, RuleHead head, RequestRule rule, EndingAction action) {
            return new Guard(
                    head.name(),
                    section.place(),
                    head.audience(),
                    head.url(),
                    rule.groups(),
                    rule.condition().inputs().stream()
                            .filter(input -> !input.isOfUrl())
                            .collect(Collectors.toUnmodifiableSet()),
                    action.getClass());
        }

        boolean protects(Rewrite rewrite) {
            return includes(rewrite.head().audience())
                    && protectsHost(rewrite.hosts())
                    && protects(rewrite.path(), rewrite.isConstant());
        }

        /** Whether its paths include those of {@code path}. */
        boolean protects(PathPattern path, boolean isConstant) {
            return search == null
                    ? url.paths().stream().anyMatch(own -> own.covers(path))
                    : isConstant && search.groups(path.text()) != null;
        }

        /** Whether it refuses the requests after {@code rewrite} that {@code earlier} refuses. */
        boolean replaces(Guard earlier, Rewrite rewrite) {
            return action.equals(earlier.action)
                    && protects(rewrite)
                    && (audience == Audience.BOTH || audience == earlier.audience)
                    && coversHosts(rewrite.hosts())
                    && earlier.others.containsAll(others);
        }

        /** Whether it applies to all of {@code hosts}. */
        boolean coversHosts(List<HostPattern> hosts) {
            return hosts.stream()
                    .allMatch(host -> url.hosts().stream().anyMatch(own -> own.covers(host)));
        }

        private boolean includes(Audience other) {
            return audience == Audience.BOTH || other == Audience.BOTH || audience == other;
        }

        private boolean protectsHost(List<HostPattern> hosts) {
            return url.hosts().stream()
                    .anyMatch(own ->
                            own.text().equals("*")
                                    || hosts.stream()
                                            .anyMatch(
                                                    host -> own.covers(host) || host.covers(own)));
        }
    }

    /**
     * A rule that changes paths.
     *
     * @param hosts of the changed requests; empty if they are not known
     * @param path the new path, or a pattern of the new paths
     * @param guard an earlier one that protects them
     */
    private record Rewrite(
            Section section,
            RuleHead head,
            List<HostPattern> hosts,
            PathPattern path,
            boolean isConstant,
            @Nullable Guard guard) {

        Rewrite behind(Guard earlier) {
            return new Rewrite(section, head, hosts, path, isConstant, earlier);
        }
    }

    /** Adds the next rule of the list, read from {@code section}. */
    void add(Section section, RuleHead head, RequestRule rule) {
        if (rule.path() != null) {
            addRewrite(section, head, rule);
        }
        boolean hasPaths =
                rule.groups() != null
                        || head.url().paths().stream()
                                .noneMatch(path -> path.covers(UrlMatch.ANY_PATH.getFirst()));
        if (rule.ending() != null && rule.ending().refuses() && hasPaths) {
            var guard = Guard.of(section, head, rule, rule.ending());
            // It checks the changed paths.
            rewrites.removeIf(
                    rewrite -> rewrite.guard() != null && guard.replaces(rewrite.guard(), rewrite));
            guards.add(guard);
        }
    }

    private void addRewrite(Section section, RuleHead head, RequestRule rule) {
        var edit = Objects.requireNonNull(rule.path());
        var constant = edit.with().constant().filter(path -> path.indexOf('*') < 0);
        var path = constant.orElseGet(() -> begun(TEMPLATE.matcher(edit.with().toString())));
        if (path.isEmpty()) {
            return;
        }
        var changed =
                new Rewrite(
                        section,
                        head,
                        hosts(head, rule),
                        new PathPattern(path),
                        constant.isPresent(),
                        null);
        var old = oldPaths(head, rule);
        for (var guard : guards) {
            boolean isItself =
                    rule.ending() != null && rule.ending().getClass().equals(guard.action());
            boolean hasPassed =
                    !old.isEmpty()
                            && guard.coversHosts(head.url().hosts())
                            && old.stream().allMatch(each -> guard.protects(each, false));
            if (guard.protects(changed) && !hasPassed && !isItself) {
                rewrites.add(changed.behind(guard));
                return;
            }
        }
    }

    /** The paths that {@code rule} changes; empty if they are not known. */
    private static List<PathPattern> oldPaths(RuleHead head, RequestRule rule) {
        var edited = rule.path() == null ? null : rule.path().match();
        for (var search : Arrays.asList(edited, rule.groups())) {
            if (search != null) {
                var begun = begun(EXPRESSION.matcher(search.toString()));
                if (!begun.isEmpty()) {
                    return List.of(new PathPattern(begun));
                }
            }
        }
        return head.url().paths();
    }

    /** The pattern of the paths that begin as {@code found} says; empty if it is not known. */
    private static String begun(Matcher found) {
        return !found.matches()
                ? ""
                : found.group(1)
                        + (found.groupCount() > 1 && found.group(2) != null ? "/" : "")
                        + "**";
    }

    private static List<HostPattern> hosts(RuleHead head, RequestRule rule) {
        return rule.host() == null
                ? head.url().hosts()
                : rule.host().constant().stream()
                        .map(host -> new HostPattern(HostPattern.withoutPort(host)))
                        .toList();
    }

    /** Adds the warnings; called after the last rule. */
    void warn() {
        for (var rewrite : rewrites) {
            var guard = Objects.requireNonNull(rewrite.guard());
            rewrite.section()
                    .warn(
                            "path",
                            "rule '%s' changes paths to %s, after the rule '%s' at %s that protects them"
                                    .formatted(
                                            rewrite.head().name(),
                                            rewrite.path(),
                                            guard.name(),
                                            guard.place()),
                            "it before '" + guard.name() + "'");
        }
    }
}
