package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds content of one reader that another reader would see. It requests public fragments and pages
 * from the application, bypassing the cache, twice for each of several users; then with one request
 * field changed at a time; and with invalid arguments. Public responses must be the same for all
 * users, except for declared differences; must contain no user's secret, CSRF token, nonce or
 * session; and must not be errors. Private responses are not checked.
 *
 * <p>Immutable: each method but the last returns another detector. The last one, {@link
 * #allPublicFragments}, {@link #fragmentsOf} or {@link #paths}, sends the requests, and fails with
 * all findings. A check without it fails when the site is closed, or after the test that has the
 * site from an extension. One thread.
 */
public final class LeakDetector {
    private final EsiSite site;
    private final List<User> users;
    private final Map<String, String> examples;
    private final Set<Integer> keptOnPurpose;
    private final Ignored ignored;

    private LeakDetector(
            EsiSite site,
            List<User> users,
            Map<String, String> examples,
            Set<Integer> keptOnPurpose,
            Ignored ignored) {
        this.site = site;
        this.users = List.copyOf(users);
        this.examples = new LinkedHashMap<>(examples);
        this.keptOnPurpose = Set.copyOf(keptOnPurpose);
        this.ignored = ignored;
    }

    /** A detector for {@code site}, which needs users next. */
    public static LeakDetector check(EsiSite site) {
        return new LeakDetector(
                site.beginCheck(), List.of(), Map.of(), Set.of(), Ignored.nothing());
    }

    /**
     * Sets the users to compare: at least two, who differ as your readers do. A user without an
     * account and two who log in are a good choice. The check fails if two send the same request:
     * {@code user("anna")} alone does not log in.
     *
     * @throws IllegalArgumentException if two have the same name
     */
    public LeakDetector users(User... those) {
        var names = new TreeSet<String>();
        for (var user : those) {
            if (!names.add(user.name())) {
                throw new IllegalArgumentException(
                        "duplicate user name '%s' (expected a different name for each user)"
                                .formatted(user.name()));
            }
        }
        return new LeakDetector(site, List.of(those), examples, keptOnPurpose, ignored);
    }

    /**
     * Requests the handler of that name by {@code target}, if the application itself gives no
     * example; several for one handler are all requested.
     *
     * @param handler its name, or class and method
     * @param target path and query
     */
    public LeakDetector example(String handler, String target) {
        if (!target.startsWith("/")) {
            throw new IllegalArgumentException(
                    "'%s' is not an example of %s (expected a path: \"/fragment/tools?oid=014\")"
                            .formatted(target, handler));
        }
        var more = new LinkedHashMap<>(examples);
        more.put(target, handler);
        return new LeakDetector(site, users, more, keptOnPurpose, ignored);
    }

    /**
     * Allows differences in the elements matching {@code selector}, such as a time or a random id,
     * or in a response field: {@code "the field X-Request-Id"}. Secrets, tokens and sessions in
     * them are still found.
     */
    public LeakDetector ignoring(String selector) {
        return ignoring("", selector);
    }

    /**
     * The same for one path only.
     *
     * @param path without a query to match all of its queries
     */
    public LeakDetector ignoring(String path, String selector) {
        return new LeakDetector(site, users, examples, keptOnPurpose, ignored.and(path, selector));
    }

    /**
     * Allows errors with these statuses to be cacheable, such as 404 for an absent page that is
     * requested often.
     */
    public LeakDetector keepingOnPurpose(int... statuses) {
        var more = new TreeSet<>(keptOnPurpose);
        for (int status : statuses) {
            more.add(status);
        }
        return new LeakDetector(site, users, examples, more, ignored);
    }

    /**
     * Checks every handler that the application declares public, pages included.
     *
     * @throws LeaksFound if there are findings: also if a handler needs an example, or no reader
     *     got a public response for its example
     * @throws AssertionError if there is no public handler, or the handlers are unknown
     */
    public LeakReport allPublicFragments() {
        requireUsers();
        var handlers = site.fragments().stream().filter(FragmentHandler::isPublic).toList();
        if (handlers.isEmpty()) {
            throw new AssertionError(
                    "nothing to check: the application declares no public handler (expected @EsiFragment or @EsiPage on handlers; or name paths: LeakDetector.check(site).users(...).paths(\"/live\"))");
        }
        requireKnown(handlers);
        var check = newCheck();
        for (var handler : handlers) {
            var targets = targets(handler);
            if (targets.isEmpty()) {
                check.cannotAsk(handler);
            }
            targets.forEach((target, from) -> check.check(target, handler, from));
        }
        return verified(check);
    }

    /**
     * Checks a page and its fragments of all levels, as each of the users gets it.
     *
     * @param page its path, or the name of its handler
     * @throws LeaksFound if there are findings
     * @throws AssertionError if the assembler does not report parts
     */
    public LeakReport fragmentsOf(String page) {
        requireUsers();
        var targets = new LinkedHashMap<String, String>();
        var from = "fragmentsOf(\"%s\")".formatted(page);
        targets.put(site.targetOf(page), from);
        for (var user : users) {
            for (var fragment : site.as(user).get(page).fragments()) {
                // targets of another authority do not belong to this application
                if (fragment.target().startsWith("/")) {
                    targets.put(fragment.target(), from);
                }
            }
        }
        return check(targets);
    }

    /**
     * Checks these targets. Responses that are private, and not declared public, are not checked;
     * the report notes them.
     *
     * @param paths with their query, or names of handlers
     * @throws LeaksFound if there are findings, or one of them gives no user a response
     */
    public LeakReport paths(String... paths) {
        requireUsers();
        var targets = new LinkedHashMap<String, String>();
        for (var path : paths) {
            targets.putIfAbsent(site.targetOf(path), "paths(\"%s\")".formatted(path));
        }
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("no paths given (expected for example \"/live\")");
        }
        return check(targets);
    }

    /** Checks targets; each maps to the part of the test that requests it. */
    private LeakReport check(Map<String, String> targets) {
        var check = newCheck();
        targets.forEach((target, from) -> check.check(target, handlerOf(target), from));
        return verified(check);
    }

    private LeakCheck newCheck() {
        return new LeakCheck(site, users, ignored.fresh(), keptOnPurpose);
    }

    private LeakReport verified(LeakCheck check) {
        var report = check.report();
        if (!report.findings().isEmpty()) {
            throw new LeaksFound(report);
        }
        if (report.checked().isEmpty()) {
            throw new AssertionError(
                    "nothing was checked: every response is private\n%s\nexpected at least one public response: name other paths, or find out why these are private"
                            .formatted(String.join("\n", report.notes())));
        }
        return report;
    }

    /** The targets to request for the handler; each maps to its source. */
    private Map<String, String> targets(FragmentHandler handler) {
        var targets = new LinkedHashMap<String, String>();
        handler.example()
                .ifPresent(target ->
                        targets.put(target, "the application's own example of " + handler.name()));
        examples.forEach((target, name) -> {
            if (isNamed(handler, name)) {
                targets.putIfAbsent(target, "example(\"%s\", \"%s\")".formatted(name, target));
            }
        });
        return targets;
    }

    private @Nullable FragmentHandler handlerOf(String target) {
        return site.declared().stream()
                .filter(handler -> handler.answers(target))
                .findFirst()
                .orElse(null);
    }

    private static boolean isNamed(FragmentHandler handler, String name) {
        return handler.name().equals(name) || handler.handler().equals(name);
    }

    private void requireUsers() {
        site.finishCheck();
        if (users.size() < 2) {
            throw new AssertionError(
                    "expected at least two users to compare, found %s (for example LeakDetector.check(site).users(anonymous(), user(\"reader-a\").logsIn(\"/login\", \"password\")))"
                            .formatted(users));
        }
        ReaderProbe.requireDifferent(site, users);
    }

    private void requireKnown(List<FragmentHandler> handlers) {
        var unknown = new ArrayList<String>();
        for (var name : new LinkedHashSet<>(examples.values())) {
            if (handlers.stream().noneMatch(handler -> isNamed(handler, name))) {
                unknown.add(name);
            }
        }
        if (!unknown.isEmpty()) {
            throw new AssertionError(
                    "example(\"%s\", ...) names no public handler (expected one of %s)"
                            .formatted(
                                    String.join("\", \"", unknown),
                                    handlers.stream().map(FragmentHandler::name).toList()));
        }
    }
}
