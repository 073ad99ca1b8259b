package dev.quire.test;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims about a site, which they ask for pages and whose clock they move. A page is asked for by
 * path, target or handler's name.
 */
public final class SiteAssert extends Claim<SiteAssert, EsiSite> {
    /** Shorter cookies and secrets could stand in any page. */
    private static final int TELLING_CHARACTERS = 4;

    SiteAssert(@Nullable EsiSite site) {
        super(site, SiteAssert.class);
    }

    /**
     * Goes on with what is fetched anew once what bears one of {@code tags} has been dropped.
     *
     * @throws AssertionError if whoever assembles the pages keeps nothing
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
     * Goes on with what is fetched anew once what is stored for {@code paths} has been dropped.
     *
     * @throws AssertionError if whoever assembles the pages keeps nothing
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
     * Goes on with how long a page or fragment is kept; the site's clock is moved for that.
     *
     * @throws AssertionError if whoever assembles the pages keeps nothing
     */
    public LifetimeAssert keeps(String pathOrName) {
        requireCache("the lifetime of " + pathOrName);
        return new LifetimeAssert(it(), it().targetOf(pathOrName));
    }

    /**
     * Goes on with what reaches the application while {@code readers} ask for {@code pathOrName} at
     * the same moment; they have done so when this returns.
     */
    public StampedeAssert answersStampedeOf(int readers, String pathOrName) {
        return new StampedeAssert(it(), it().together(readers, pathOrName));
    }

    /**
     * {@code pathOrName} is the same page for each of {@code users}: whoever asks first, the others
     * get the same DOM.
     *
     * @throws AssertionError also if one of them gets a status of 400 or more
     */
    public SiteAssert showsTheSame(String pathOrName, User... users) {
        requireSeveral(
                users, "showsTheSame(\"" + pathOrName + "\", anonymous(), user(\"reader-a\"))");
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
     * No one of {@code users} gets to see anything of another at {@code pathOrName}: each asks for
     * it twice, one after the other, and what they get, fields included, holds no name, secret or
     * cookie of another. Whoever is {@link User#anonymous} has nothing that another could see; each
     * other user needs a secret of at least four characters that is theirs alone.
     *
     * @throws AssertionError also if one of them gets a status of 400 or more
     * @throws IllegalArgumentException if somebody has no such secret
     */
    public SiteAssert keepsApart(String pathOrName, User... users) {
        requireSeveral(
                users,
                "keepsApart(\"" + pathOrName + "\", user(\"reader-a\"), user(\"reader-b\"))");
        requireSecrets(users);
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
                                    : shown(seen.toString(), secrets(other), secrets(user));
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

    /** The page that {@code user} gets, which is one: error pages are the same for all. */
    private Page answered(String claim, String pathOrName, User user) {
        var page = it().as(user).get(pathOrName);
        require(
                page.status() < 400,
                "%s to answer %s with a page".formatted(pathOrName, user),
                "a status below 400",
                page.status() + ", " + Excerpt.of(page.html()),
                page.trace(),
                "an error page does not show whether readers are kept apart: change the path in %s(\"%s\", ...) at %s, or let %s in: user.logsIn(...). docs/testing.md#readers-apart"
                        .formatted(claim, pathOrName, TestLine.here(), user));
        return page;
    }

    /** What is to be found in a page must be there to look for. */
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

    private static List<String> shown(String seen, Set<String> secrets, Set<String> own) {
        return secrets.stream()
                .filter(secret -> secret.length() >= TELLING_CHARACTERS)
                .filter(secret -> !own.contains(secret) && seen.contains(secret))
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
                    "expected at least two readers ( for example %s)".formatted(example));
        }
    }

    /** The pages that have been asked for by GET, each of each reader once, asked for by them. */
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

    /** Path by path, how often each of {@code pages} has asked the application. */
    static List<String> requested(List<Page> pages) {
        return pages.stream()
                .flatMap(page -> page.trace().requests().stream())
                .map(ApplicationRequest::target)
                .collect(Collectors.toList());
    }
}
