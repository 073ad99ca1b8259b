package dev.quire.test;

import dev.quire.test.wire.internal.Excerpt;
import dev.quire.test.wire.internal.TestLine;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about a site; they request pages from it and advance its clock. A page is named by
 * path, target or handler name.
 */
public final class SiteAssert extends Claim<SiteAssert, EsiSite> {
    /** Shorter cookies and secrets could occur in any page. */
    private static final int TELLING_CHARACTERS = 4;

    SiteAssert(@Nullable EsiSite site) {
        super(site, SiteAssert.class);
    }

    /**
     * Assertions about the refetches after an invalidation of {@code tags}.
     *
     * @throws AssertionError if the assembler has no cache
     */
    public InvalidationAssert afterInvalidating(String... tags) {
        requireCache("refetching after an invalidation");
        if (tags.length == 0) {
            throw new IllegalArgumentException(
                    "no tag to invalidate (expected for example afterInvalidating(\"election\"))");
        }
        return new InvalidationAssert(
                it(),
                "invalidating " + String.join(", ", tags),
                List.of(tags),
                site -> site.purgeTags(tags));
    }

    /**
     * Assertions about the refetches after a purge of {@code paths}.
     *
     * @throws AssertionError if the assembler has no cache
     */
    public InvalidationAssert afterPurging(String... paths) {
        requireCache("refetching after a purge");
        if (paths.length == 0) {
            throw new IllegalArgumentException(
                    "nothing to purge (expected for example afterPurging(\"/live\"))");
        }
        var targets = List.of(paths).stream().map(it()::targetOf).toArray(String[]::new);
        return new InvalidationAssert(
                it(),
                "purging " + String.join(", ", targets),
                List.of(),
                site -> site.purge(targets));
    }

    /**
     * Assertions about the lifetime of a page or fragment; they advance the site's clock.
     *
     * @throws AssertionError if the assembler has no cache
     */
    public LifetimeAssert keeps(String pathOrName) {
        requireCache("the lifetime of " + pathOrName);
        return new LifetimeAssert(it(), it().targetOf(pathOrName));
    }

    /**
     * Sends simultaneous requests of {@code readers} readers for {@code pathOrName}, then returns
     * assertions about the requests that reached the application.
     */
    public StampedeAssert answersStampedeOf(int readers, String pathOrName) {
        return new StampedeAssert(it(), it().together(readers, pathOrName));
    }

    /**
     * {@code pathOrName} is the same page for each of {@code users}: all get the DOM that the first
     * one got.
     *
     * @throws AssertionError also if one of them gets a redirect or an error
     * @throws IllegalArgumentException if two users send the same request
     */
    public SiteAssert showsTheSame(String pathOrName, User... users) {
        requireSeveral(
                users,
                "showsTheSame(\"%s\", anonymous(), user(\"reader-a\").logsIn(...))"
                        .formatted(pathOrName));
        ReaderProbe.requireDifferent(it(), List.of(users));
        var first = answered("showsTheSame", pathOrName, users[0]);
        for (var user : List.of(users).subList(1, users.length)) {
            var page = answered("showsTheSame", pathOrName, user);
            var difference =
                    FirstDifference.of(
                            NormalDom.of(first.html(), List.of()),
                            NormalDom.of(page.html(), List.of()));
            require(
                    difference.isEmpty(),
                    "%s to be the same for %s and %s".formatted(pathOrName, users[0], user),
                    difference.map(FirstDifference::expected).orElse("") + " as for " + users[0],
                    difference
                            .map(one ->
                                    "%s for %s\n%s of %s"
                                            .formatted(one.seen(), user, one.what(), one.path()))
                            .orElse(""),
                    page.trace(),
                    "which fragment contains it, and is it declared private? LeakDetector.check(site) names the cause. docs/testing.md#readers-apart");
        }
        return this;
    }

    /**
     * No user sees data of another at {@code pathOrName}: each requests it twice, in turn, and no
     * response, its fields included, contains a name, secret or cookie of another user. {@link
     * User#anonymous} has no data; each other user needs a unique secret of at least four
     * characters.
     *
     * @throws AssertionError also if one of them gets a redirect or an error
     * @throws IllegalArgumentException if a user has no such secret, or two send the same request
     */
    public SiteAssert keepsApart(String pathOrName, User... users) {
        requireSeveral(
                users,
                "keepsApart(\"%s\", user(\"reader-a\").logsIn(...), user(\"reader-b\").logsIn(...))"
                        .formatted(pathOrName));
        requireSecrets(users);
        ReaderProbe.requireDifferent(it(), List.of(users));
        for (var round : List.of("first", "second")) {
            for (var user : users) {
                var page = answered("keepsApart", pathOrName, user);
                var seen = new StringBuilder(page.html());
                page.headers()
                        .forEach((name, value) ->
                                seen.append('\n').append(name).append(": ").append(value));
                for (var other : users) {
                    var shown =
                            other.name().equals(user.name())
                                    ? List.<String>of()
                                    : shown(seen.toString(), other, secrets(user));
                    require(
                            shown.isEmpty(),
                            "%s to show %s no data of %s".formatted(pathOrName, user, other),
                            "no data of " + other,
                            shown.isEmpty()
                                    ? ""
                                    : "the %2$s response for %1$s contains %3$s%4$s"
                                            .formatted(
                                                    user,
                                                    round,
                                                    String.join(
                                                            ", ",
                                                            shown.stream()
                                                                    .map(Excerpt::of)
                                                                    .toList()),
                                                    PageAssert.broughtBy(page, shown.getFirst())),
                            page.trace(),
                            "a part above that was a hit or stale, or was not fetched for this page, was made for another reader: make it private, or declare what it differs by. docs/testing.md#readers-apart");
                }
            }
        }
        return this;
    }

    /**
     * The page for {@code user}; an error page fails, because it is the same for all, and so does a
     * redirect, as to the login.
     */
    private Page answered(String claim, String pathOrName, User user) {
        var page = it().as(user).get(pathOrName);
        var location = page.headers().first("Location");
        boolean redirects = page.status() / 100 == 3 && location != null;
        require(
                page.status() / 100 == 2,
                "%s to answer %s with a page".formatted(pathOrName, user),
                "a status of 2xx",
                page.status() + (redirects ? " to " + location : ", " + Excerpt.of(page.html())),
                page.trace(),
                "%s does not show whether readers are kept apart: change the path in %s(\"%s\", ...) at %s, or let %s in: user.logsIn(...). docs/testing.md#readers-apart"
                        .formatted(
                                redirects ? "a redirect" : "an error page",
                                claim,
                                pathOrName,
                                TestLine.here(),
                                user));
        return page;
    }

    private static void requireSecrets(User[] users) {
        var all = List.of(users);
        for (var user : users) {
            var others = new ArrayList<>(all);
            others.remove(user);
            if (others.stream().anyMatch(other -> other.name().equals(user.name()))) {
                throw new IllegalArgumentException(
                        "duplicate user name %s (give each user a different name: user(\"reader-a\"), user(\"reader-b\"))"
                                .formatted(user));
            }
            boolean hasSecret =
                    user.secrets().stream()
                            .filter(secret -> secret.length() >= TELLING_CHARACTERS)
                            .anyMatch(secret ->
                                    others.stream()
                                            .noneMatch(other -> other.secrets().contains(secret)));
            if (!hasSecret && !user.equals(User.anonymous())) {
                throw new IllegalArgumentException(
                        "%s has no secret to search for in other pages: expected one of at least %d characters that no other user has (give the user what the page shows: user(\"reader-a\"), or .withSecret(\"reader-a@example.org\"))"
                                .formatted(user, TELLING_CHARACTERS));
            }
        }
        if (all.stream().allMatch(User.anonymous()::equals)) {
            throw new IllegalArgumentException(
                    "no user has a secret (expected for example user(\"reader-a\"))");
        }
    }

    /** The secrets of {@code other} in {@code seen}, as words of their own, escaped or not. */
    private List<String> shown(String seen, User other, Set<String> own) {
        var read = Parser.unescapeEntities(seen, false);
        return secrets(other).stream()
                .filter(text -> text.length() >= TELLING_CHARACTERS && !own.contains(text))
                .map(text -> new Secrets.Secret(other, text, LeakCause.SECRET, text))
                .filter(secret -> secret.isIn(seen) || secret.isIn(read))
                .map(Secrets.Secret::text)
                .toList();
    }

    private Set<String> secrets(User user) {
        var all = new LinkedHashSet<>(user.secrets());
        all.addAll(it().as(user).cookies().values());
        return all;
    }

    private void requireCache(String what) {
        if (!it().hasCache()) {
            throw Failures.needsCache(it(), what);
        }
    }

    private static void requireSeveral(User[] users, String example) {
        if (users.length < 2) {
            throw new IllegalArgumentException(
                    "expected at least two readers (for example %s)".formatted(example));
        }
    }

    /** The pages requested by GET so far, each once for each reader. */
    static List<Page> asked(EsiSite site) {
        var seen = new LinkedHashSet<String>();
        var pages = new ArrayList<Page>();
        for (var page : site.pages()) {
            boolean isGet = page.asked().method().equals("GET");
            if (isGet && seen.add(page.site().user() + " " + page.asked().target())) {
                pages.add(page);
            }
        }
        return pages;
    }

    /** For each path, how often each of {@code pages} has requested it from the application. */
    static List<String> requested(List<Page> pages) {
        return pages.stream()
                .flatMap(page -> page.trace().requests().stream())
                .map(ApplicationRequest::target)
                .collect(Collectors.toList());
    }
}
