package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Requests targets as different users. One thread. */
final class ReaderProbe {
    /** The default fields of a browser, which a user may override. */
    private static final Fields USUAL =
            Fields.of(
                    "Accept-Language",
                    "en-US,en;q=0.9",
                    "User-Agent",
                    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");

    private final EsiSite site;
    private final Findings findings;
    private @Nullable Secrets secrets;

    ReaderProbe(EsiSite site, Findings findings) {
        this.site = site;
        this.findings = findings;
    }

    /**
     * Requires that the users send different requests; otherwise a response is compared to itself.
     */
    static void requireDifferent(EsiSite site, List<User> users) {
        var known = new HashMap<String, User>();
        for (var user : users) {
            try {
                var cookies = site.as(user).loggedIn().cookies();
                var same = known.putIfAbsent(user.fieldsWith(cookies).toString(), user);
                if (same != null) {
                    throw new IllegalArgumentException(
                            "%s sends the same request as %s, so a leak between them cannot show (expected a login, a cookie or a field: user(\"%1$s\").logsIn(\"/login\", \"password\"))"
                                    .formatted(user, same));
                }
            } catch (AssertionError notIn) {
                // reported as the missing answer to the first request
            }
        }
    }

    /**
     * Collects the secrets of {@code users}; requires that each has sent a request, and so is
     * logged in.
     */
    void learnSecrets(List<User> users) {
        if (secrets == null) {
            secrets = Secrets.of(site, users);
            Secrets.tooShort(users).forEach(findings::note);
        }
    }

    Secrets known() {
        var now = secrets;
        if (now == null) {
            throw new IllegalStateException("expected secrets to be known once users have asked");
        }
        return now;
    }

    /**
     * The answer for {@code user}; records a finding and returns empty if the application gives
     * none.
     */
    Optional<SharedAnswer> ask(Findings.Place where, User user) {
        try {
            var asking = usual(user);
            // the field that a surrogate would add for the user's variant
            var response =
                    site.as(asking).ask(where.target(), SignedVariant.FIELD, variantOf(user));
            return Optional.of(SharedAnswer.of(asking, where.target(), sent(asking), response));
        } catch (AssertionError none) {
            findings.add(
                    where,
                    LeakCause.NO_ANSWER,
                    String.valueOf(none.getMessage()),
                    where.from(),
                    Map.of(),
                    "",
                    List.of(user.name()));
            return Optional.empty();
        }
    }

    /**
     * The same for a first request. If the answer is private and sets the cookie of the user's
     * variant, the answer to the next one, as a browser would send it.
     */
    Optional<SharedAnswer> askFirst(Findings.Place where, User user) {
        var answer = ask(where, user);
        var variant =
                answer.filter(it -> !it.isShared()).stream()
                        .flatMap(it -> it.response().fields().all("Set-Cookie").stream())
                        .filter(line -> Secrets.saysVariant(line.substring(line.indexOf('=') + 1)))
                        .toList();
        if (variant.isEmpty()) {
            return answer;
        }
        site.as(user).keepCookies(variant);
        return ask(where, user);
    }

    private User usual(User user) {
        var all = new Fields.Builder().addAll(user.fields());
        all.addAll(USUAL.without(user.fields()::contains));
        return new User(user.name(), all.build(), user.login(), user.secrets());
    }

    /** The names of the request fields that the application has read since the last call. */
    Set<String> takeFieldsRead() {
        var names = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(site.takeFieldsRead());
        return names;
    }

    String variantOf(User user) {
        return site.as(user).cookies().values().stream()
                .filter(Secrets::saysVariant)
                .map(cookie -> cookie.substring(0, cookie.indexOf('.')))
                .findFirst()
                .orElse(SignedVariant.NONE);
    }

    private Fields sent(User user) {
        return new Fields.Builder()
                .addAll(user.fieldsWith(site.as(user).cookies()))
                .add(SignedVariant.FIELD, variantOf(user))
                .build();
    }

    static User without(User user, String name) {
        var kept = user.fields().without(name::equalsIgnoreCase);
        return new User(user.name(), kept, user.login(), user.secrets());
    }

    static User with(User user, String name, String value) {
        return (name.equalsIgnoreCase("Cookie") ? user : without(user, name))
                .withField(name, value);
    }

    Map<String, String> cookies(User user) {
        Map<String, String> all = new LinkedHashMap<>();
        for (var line : user.fieldsWith(site.as(user).cookies()).all("Cookie")) {
            for (var pair : line.split(";", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0) {
                    all.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
                }
            }
        }
        return all;
    }

    static String joined(Map<String, String> cookies) {
        var pairs = new ArrayList<String>();
        cookies.forEach((name, value) -> pairs.add(name + "=" + value));
        return String.join("; ", pairs);
    }

    /** Whether the site has set a cookie of that name for {@code user}. */
    boolean isGiven(User user, String cookie) {
        return site.as(user).cookies().containsKey(cookie);
    }
}
