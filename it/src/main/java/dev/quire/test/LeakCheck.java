package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/** One run of a {@link LeakDetector}, target by target. One thread. */
final class LeakCheck {
    private static final int LONGEST = 160;

    private static final String LANGUAGE = "Content-Language";

    /** What differs beside the body. */
    private static final List<String> COMPARED =
            List.of("Content-Type", LANGUAGE, "Location", "Link", "Access-Control-Allow-Origin");

    /** What a browser says by itself, where users do not say otherwise. */
    private static final Fields USUAL =
            Fields.of(
                    "Accept-Language",
                    "en-US,en;q=0.9",
                    "User-Agent",
                    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");

    /** Fields that are not part of an address, and other values of them. */
    private static final List<Probe> PROBES =
            List.of(
                    new Probe("Accept-Language", "ko-KR,ko;q=0.9,ja;q=0.8,zh;q=0.7"),
                    new Probe("Accept-Language", "de-DE,de;q=0.9,nl;q=0.8,sv;q=0.7"),
                    new Probe("Accept-Language", "fr-FR,fr;q=0.9,es;q=0.8,it;q=0.7,pt;q=0.6"),
                    new Probe(
                            "User-Agent",
                            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"),
                    new Probe("Accept", "application/json"),
                    new Probe("Accept", "application/xml"),
                    new Probe("Referer", "http://elsewhere.example/results?q=news"),
                    new Probe("Origin", "http://elsewhere.example"),
                    new Probe("X-Requested-With", "XMLHttpRequest"),
                    new Probe("Cookie", "theme=dark; consent=none; " + speaking("ko")),
                    new Probe("Cookie", "theme=light; consent=all; " + speaking("de")),
                    new Probe("Save-Data", "on"));

    private record Probe(String name, String value) {}

    /** Cookies in which applications keep a language: the last is Spring's, where none is named. */
    private static String speaking(String language) {
        return "lang=%1$s; locale=%1$s; org.springframework.web.servlet.i18n.CookieLocaleResolver.LOCALE=%1$s"
                .formatted(language);
    }

    private final EsiSite site;
    private final List<User> users;
    private final Ignored ignored;
    private final Set<Integer> keptOnPurpose;
    private final List<String> checked = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<Found> found = new ArrayList<>();
    private final Map<Content, Element> trees = new HashMap<>();
    private @Nullable Secrets secrets;

    LeakCheck(EsiSite site, List<User> users, Ignored ignored, Set<Integer> keptOnPurpose) {
        this.site = site;
        this.users = users;
        this.ignored = ignored;
        this.keptOnPurpose = keptOnPurpose;
    }

    /** Nobody knows how to ask for {@code handler}. */
    void cannotAsk(FragmentHandler handler) {
        add(
                new Place(handler.name(), handler, ""),
                LeakCause.NOT_ASKED,
                handler.missing().isEmpty()
                        ? "its path " + String.join(", ", handler.paths()) + " stands for many"
                        : "nobody says what " + String.join(" and ", handler.missing()) + " may be",
                "",
                Map.of(),
                "",
                List.of());
    }

    /**
     * Asks for {@code target}, which {@code handler} answers if that is known.
     *
     * @param from what of the test, or who else, says to ask for it
     */
    void check(String target, @Nullable FragmentHandler handler, String from) {
        trees.clear();
        var where = new Place(target, handler, from);
        Map<User, SharedAnswer> first = new LinkedHashMap<>();
        Map<User, SharedAnswer> again = new LinkedHashMap<>();
        for (var all : List.of(first, again)) {
            for (var user : users) {
                ask(where, user).ifPresent(answer -> all.put(user, answer));
            }
        }
        if (secrets == null) {
            // all have asked by now, so that they have logged in
            secrets = Secrets.of(site, users);
            notes.addAll(Secrets.tooShort(users));
        }
        if (first.values().stream().noneMatch(this::isAnswer)) {
            noAnswer(where, first.values());
            return;
        }
        if (first.values().stream().noneMatch(SharedAnswer::isShared)) {
            notShared(where, first.values());
            return;
        }
        checked.add(target);
        keptForSome(where, first);
        for (var all : List.of(first, again)) {
            all.values().stream()
                    .filter(SharedAnswer::isShared)
                    .forEach(answer -> alone(where, answer));
        }
        var changes = changes(where, first, again);
        betweenUsers(where, first, changes);
        var usual =
                first.values().stream().filter(SharedAnswer::isShared).findFirst().orElseThrow();
        otherFields(where, usual, changes);
        wrongArguments(where, usual);
    }

    /** All that was found, in the order of targets, then of causes. */
    LeakReport report() {
        var findings = new ArrayList<LeakFinding>();
        var targets = new LinkedHashSet<String>();
        found.forEach(one -> targets.add(one.place.target()));
        for (var target : targets) {
            found.stream()
                    .filter(one -> one.place.target().equals(target))
                    .sorted((one, other) -> one.cause.compareTo(other.cause))
                    .forEach(one -> findings.add(one.finding()));
        }
        for (var rule : ignored.unmet()) {
            notes.add(rule + " selects nothing: take it out, or look whether it is spelled right");
        }
        return new LeakReport(
                users.stream().map(User::name).toList(),
                checked,
                findings,
                List.copyOf(new LinkedHashSet<>(notes)));
    }

    // ---- asking

    private Optional<SharedAnswer> ask(Place where, User user) {
        try {
            var asking = usual(user);
            var response = site.as(asking).ask(where.target(), variant(user));
            return Optional.of(SharedAnswer.of(asking, where.target(), sent(asking), response));
        } catch (AssertionError none) {
            add(
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

    private User usual(User user) {
        var all = new Fields.Builder().addAll(user.fields());
        USUAL.forEach((name, value) -> {
            if (!user.fields().contains(name)) {
                all.add(name, value);
            }
        });
        return new User(user.name(), all.build(), user.login(), user.secrets());
    }

    /** As a surrogate in front would say which variant the user gets. */
    private String[] variant(User user) {
        return new String[] {SignedVariant.FIELD, variantOf(user)};
    }

    private String variantOf(User user) {
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

    private static User with(User user, String name, String value) {
        var kept = user.fields();
        if (!name.equalsIgnoreCase("Cookie")) {
            kept = kept.without(name::equalsIgnoreCase);
        }
        return new User(
                user.name(),
                new Fields.Builder().addAll(kept).add(name, value).build(),
                user.login(),
                user.secrets());
    }

    // ---- each answer by itself

    /** Whether there is something to look at: an error or a redirect is it only if it is kept. */
    private boolean isAnswer(SharedAnswer answer) {
        int status = answer.response().status();
        return status < 300 || keptOnPurpose.contains(status) || !answer.lifetime().isZero();
    }

    private void noAnswer(Place where, Iterable<SharedAnswer> answers) {
        for (var answer : answers) {
            int status = answer.response().status();
            var to = answer.response().field("Location");
            var user = answer.user().name();
            add(
                    where,
                    LeakCause.NO_ANSWER,
                    "status " + status,
                    where.from(),
                    Map.of(user, status + (to == null ? "" : " to " + to) + ", " + answer.said()),
                    "",
                    List.of(user));
        }
    }

    private void notShared(Place where, Iterable<SharedAnswer> answers) {
        var handler = where.handler();
        boolean isDeclared =
                handler != null
                        && handler.isPublic()
                        && handler.ttl().filter(time -> time.isZero()).isEmpty();
        for (var answer : answers) {
            var reason = answer.response().field("X-Quire-Guard");
            var user = answer.user().name();
            int status = answer.response().status();
            if (isDeclared) {
                add(
                        where,
                        LeakCause.NOT_SHARED,
                        reason == null ? "" : reason,
                        "",
                        Map.of(user, status + ", " + answer.said()),
                        "",
                        List.of(user));
            } else {
                notes.add(
                        "%s was not checked: it is kept for nobody else%s: status %d, %s"
                                .formatted(
                                        where.target(),
                                        reason == null ? "" : " (" + reason + ")",
                                        status,
                                        answer.said()));
                return;
            }
        }
    }

    private void keptForSome(Place where, Map<User, SharedAnswer> answers) {
        var shared = answers.values().stream().filter(SharedAnswer::isShared).toList();
        var others = answers.values().stream().filter(answer -> !answer.isShared()).toList();
        var vary = shared.getFirst().vary();
        boolean isDeclared =
                vary.contains("cookie")
                        || vary.contains(SignedVariant.FIELD.toLowerCase(Locale.ROOT))
                        || (where.handler() != null && !where.handler().variants().isEmpty());
        if (others.isEmpty() || isDeclared) {
            for (var other : others) {
                notes.add(
                        "%s is %s's alone when they ask, by a declared variant: %s"
                                .formatted(where.target(), other.user().name(), other.said()));
            }
            return;
        }
        var one = shared.getFirst();
        var other = others.getFirst();
        var reason = other.response().field("X-Quire-Guard");
        Map<String, String> sides = new LinkedHashMap<>();
        sides.put(one.user().name(), one.response().status() + ", " + one.said());
        sides.put(other.user().name(), other.response().status() + ", " + other.said());
        add(
                where,
                LeakCause.KEPT_FOR_SOME,
                reason == null ? "" : reason,
                "",
                sides,
                "",
                others.stream().map(answer -> answer.user().name()).toList());
    }

    private void alone(Place where, SharedAnswer answer) {
        var who = List.of(answer.user().name());
        var response = answer.response();
        var tree = tree(response);
        errors(where, answer, "");
        for (var line : response.fields().all("Set-Cookie")) {
            int end = line.indexOf('=');
            var name = end < 0 ? line : line.substring(0, end);
            add(
                    where,
                    LeakCause.SESSION_COOKIE,
                    name.strip(),
                    "the field Set-Cookie",
                    Map.of(who.getFirst(), shortened(line)),
                    answer.said(),
                    who);
        }
        for (var spot : Tokens.spots(tree, text -> Tokens.SESSION_ID.matcher(text).find())) {
            spot(where, LeakCause.SESSION_ID_IN_URL, "", spot, answer);
        }
        Tokens.csrf(tree).forEach(spot -> spot(where, LeakCause.CSRF_TOKEN, "", spot, answer));
        Tokens.nonces(tree).forEach(spot -> spot(where, LeakCause.NONCE, "", spot, answer));
        response.fields()
                .forEach((name, value) -> {
                    var field = new Tokens.Spot("the field " + name, value);
                    if (name.toLowerCase(Locale.ROOT).startsWith("content-security-policy")
                            && value.contains("'nonce-")) {
                        spot(where, LeakCause.NONCE, "", field, answer);
                    }
                    if (name.equalsIgnoreCase("Set-Cookie")) {
                        return;
                    }
                    if (Tokens.SESSION_ID.matcher(value).find()) {
                        spot(where, LeakCause.SESSION_ID_IN_URL, "", field, answer);
                    }
                    for (var secret : known().in(Tokens.SESSION_ID.matcher(value).replaceAll(""))) {
                        spot(where, secret.cause(), secret.what(), field, answer);
                    }
                });
        var body = Tokens.SESSION_ID.matcher(response.text()).replaceAll("");
        for (var secret : known().in(body)) {
            var spots =
                    Tokens.spots(
                            tree,
                            text -> secret.isIn(Tokens.SESSION_ID.matcher(text).replaceAll("")));
            if (spots.isEmpty()) {
                spot(
                        where,
                        secret.cause(),
                        secret.what(),
                        new Tokens.Spot("", around(body, secret.text())),
                        answer);
            }
            spots.forEach(spot -> spot(where, secret.cause(), secret.what(), spot, answer));
        }
    }

    private void errors(Place where, SharedAnswer answer, String by) {
        var response = answer.response();
        int status = response.status();
        boolean isError =
                status >= 400 && !keptOnPurpose.contains(status) && !answer.lifetime().isZero();
        boolean isTrace = status < 400 && ErrorPage.isTrace(response.text());
        if (isError || isTrace) {
            add(
                    where,
                    LeakCause.CACHED_ERROR,
                    (by.isEmpty() ? "" : by + " is answered with ") + "status " + status,
                    "",
                    Map.of(answer.user().name(), shortened(words(response))),
                    answer.said(),
                    List.of(answer.user().name()));
        }
    }

    private void spot(
            Place where, LeakCause cause, String by, Tokens.Spot spot, SharedAnswer answer) {
        add(
                where,
                cause,
                by,
                spot.place(),
                Map.of(answer.user().name(), shortened(spot.value())),
                answer.said(),
                List.of(answer.user().name()));
    }

    // ---- the same user twice

    /** By user: where two answers to them differ. */
    private Map<String, List<DomDifference>> changes(
            Place where, Map<User, SharedAnswer> first, Map<User, SharedAnswer> again) {
        Map<String, List<DomDifference>> changes = new HashMap<>();
        for (var user : users) {
            var one = first.get(user);
            var other = again.get(user);
            if (one == null || other == null || !one.isShared() || !other.isShared()) {
                continue;
            }
            var differences = differences(where, one, other);
            changes.put(user.name(), new ArrayList<>(differences));
            for (var difference : differences) {
                if (hasSecret(difference)) {
                    continue;
                }
                Map<String, String> sides = new LinkedHashMap<>();
                sides.put(user.name(), shortened(difference.left()));
                sides.put(user.name() + " again", shortened(difference.right()));
                add(
                        where,
                        Changing.cause(difference),
                        "",
                        difference.place(),
                        sides,
                        one.said(),
                        List.of(user.name()));
            }
        }
        return changes;
    }

    // ---- one user and another

    private void betweenUsers(
            Place where,
            Map<User, SharedAnswer> answers,
            Map<String, List<DomDifference>> changes) {
        var shared = answers.values().stream().filter(SharedAnswer::isShared).toList();
        for (int i = 1; i < shared.size(); i++) {
            var other = shared.get(i);
            shared.subList(0, i).stream()
                    .filter(one -> isForBoth(one, other))
                    .findFirst()
                    .ifPresent(one -> compare(where, one, other, changes));
        }
    }

    /** Whether a cache would give both users one copy, whatever else they send. */
    private boolean isForBoth(SharedAnswer one, SharedAnswer other) {
        var vary = agreed(one, other);
        boolean hasVariants = vary.contains(SignedVariant.FIELD.toLowerCase(Locale.ROOT));
        boolean isByCookie =
                vary.contains("cookie") && !cookies(one.user()).equals(cookies(other.user()));
        return !isByCookie
                && !(hasVariants && !variantOf(one.user()).equals(variantOf(other.user())));
    }

    private static Set<String> agreed(SharedAnswer one, SharedAnswer other) {
        var both = new LinkedHashSet<>(one.vary());
        both.retainAll(other.vary());
        return both;
    }

    private void compare(
            Place where,
            SharedAnswer one,
            SharedAnswer other,
            Map<String, List<DomDifference>> changes) {
        // with the fields of the one that both say they depend on
        var asOne = other.user();
        for (var name : agreed(one, other)) {
            var value = one.user().fields().first(name);
            if (value != null && !name.equals("cookie")) {
                asOne = with(asOne, name, value);
            }
        }
        var otherUser = asOne;
        var theirs =
                otherUser.fields().toString().equals(other.user().fields().toString())
                        ? Optional.of(other)
                        : ask(where, otherUser);
        var mask = new ArrayList<DomDifference>();
        mask.addAll(changes.getOrDefault(one.user().name(), List.of()));
        mask.addAll(changes.getOrDefault(other.user().name(), List.of()));
        var suspects = theirs.map(it -> unmasked(where, one, it, mask)).orElse(List.of());
        if (suspects.isEmpty()) {
            return;
        }
        // what moves by itself has moved by now
        ask(where, one.user()).ifPresent(later -> mask.addAll(differences(where, one, later)));
        ask(where, otherUser)
                .ifPresent(later -> mask.addAll(differences(where, theirs.orElseThrow(), later)));
        for (var difference : unmasked(where, one, theirs.orElseThrow(), mask)) {
            var reason = reason(where, one, otherUser, difference);
            Map<String, String> sides = new LinkedHashMap<>();
            sides.put(one.user().name(), shortened(difference.left()));
            sides.put(other.user().name(), shortened(difference.right()));
            add(
                    where,
                    reason.cause(),
                    reason.by(),
                    difference.place(),
                    sides,
                    one.said(),
                    List.of(one.user().name(), other.user().name()));
        }
    }

    private record Reason(LeakCause cause, String by) {}

    /** Which field or cookie of {@code other} makes the difference to {@code one}. */
    private Reason reason(Place where, SharedAnswer one, User other, DomDifference difference) {
        var user = one.user();
        var names = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
        other.fields().forEach((name, value) -> names.add(name));
        names.remove("Cookie");
        for (var name : names) {
            var theirs = String.valueOf(other.fields().first(name));
            if (!theirs.equals(user.fields().first(name))
                    && shows(where, one, with(user, name, theirs), difference)) {
                return new Reason(causeOf(name), name);
            }
        }
        var mine = cookies(user);
        for (var cookie : cookies(other).entrySet()) {
            if (cookie.getValue().equals(mine.get(cookie.getKey()))) {
                continue;
            }
            Map<String, String> swapped = new LinkedHashMap<>(mine);
            swapped.put(cookie.getKey(), cookie.getValue());
            // a name that no site has given cookies to, so that these are all
            var probe =
                    new User(
                            user.name() + " with " + other.name() + "'s " + cookie.getKey(),
                            with(
                                            new User(
                                                    "",
                                                    user.fields()
                                                            .without("cookie"::equalsIgnoreCase),
                                                    User.Login.NONE,
                                                    Set.of()),
                                            "Cookie",
                                            joined(swapped))
                                    .fields(),
                            User.Login.NONE,
                            Set.of());
            if (shows(where, one, probe, difference)) {
                boolean isPersonal =
                        site.as(other).cookies().containsKey(cookie.getKey())
                                || !known().in(cookie.getValue()).isEmpty();
                return new Reason(
                        isPersonal ? LeakCause.UNKNOWN : LeakCause.HEADER_WITHOUT_VARY,
                        "the cookie " + cookie.getKey());
            }
        }
        return new Reason(LeakCause.UNKNOWN, "");
    }

    private static LeakCause causeOf(String field) {
        return field.equalsIgnoreCase("Accept-Language")
                ? LeakCause.LOCALE_WITHOUT_VARY
                : LeakCause.HEADER_WITHOUT_VARY;
    }

    /** Whether {@code asking} is shown what {@code difference} has on its right. */
    private boolean shows(Place where, SharedAnswer one, User asking, DomDifference difference) {
        return ask(where, asking)
                .map(answer -> differences(where, one, answer))
                .orElse(List.of())
                .stream()
                .anyMatch(it ->
                        it.key().equals(difference.key()) && it.right().equals(difference.right()));
    }

    private Map<String, String> cookies(User user) {
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

    private static String joined(Map<String, String> cookies) {
        var pairs = new ArrayList<String>();
        cookies.forEach((name, value) -> pairs.add(name + "=" + value));
        return String.join("; ", pairs);
    }

    // ---- one field of the request after the other

    private void otherFields(
            Place where, SharedAnswer usual, Map<String, List<DomDifference>> changes) {
        var reported = new TreeSet<String>();
        for (var probe : PROBES) {
            if (reported.contains(probe.name())) {
                continue;
            }
            var asking = with(usual.user(), probe.name(), probe.value());
            var answer = ask(where, asking).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null || answer.response().status() >= 400) {
                // that one is not kept, and what is kept is right for the others
                continue;
            }
            var mask = new ArrayList<>(changes.getOrDefault(usual.user().name(), List.of()));
            if (agreed(usual, answer).contains(probe.name().toLowerCase(Locale.ROOT))
                    || unmasked(where, usual, answer, mask).isEmpty()) {
                continue;
            }
            ask(where, usual.user())
                    .ifPresent(later -> mask.addAll(differences(where, usual, later)));
            ask(where, asking).ifPresent(later -> mask.addAll(differences(where, answer, later)));
            for (var difference : unmasked(where, usual, answer, mask)) {
                Map<String, String> sides = new LinkedHashMap<>();
                sides.put(
                        label(probe.name(), usual.user().fields().first(probe.name())),
                        shortened(difference.left()));
                sides.put(label(probe.name(), probe.value()), shortened(difference.right()));
                add(
                        where,
                        causeOf(probe.name()),
                        probe.name(),
                        difference.place(),
                        sides,
                        usual.said(),
                        List.of(usual.user().name()));
                reported.add(probe.name());
            }
        }
    }

    private static String label(String name, @Nullable String value) {
        if (value == null) {
            return name.equals("Accept") ? name + ": text/html" : "no " + name;
        }
        int end = value.length() > 24 ? 24 : value.length();
        return name + ": " + value.substring(0, end) + (end < value.length() ? "…" : "");
    }

    // ---- arguments that make no sense

    private void wrongArguments(Place where, SharedAnswer usual) {
        for (var wrong : WrongArgument.of(where.target())) {
            var there = new Place(wrong.target(), where.handler(), where.from());
            var answer = ask(there, usual.user()).filter(SharedAnswer::isShared).orElse(null);
            if (answer == null) {
                continue;
            }
            errors(where, answer, wrong.what());
            var response = answer.response();
            boolean isLikeError =
                    response.status() < 400
                            && !answer.lifetime().isZero()
                            && !ErrorPage.isTrace(response.text())
                            && ErrorPage.isLike(tree(response))
                            && !ErrorPage.isLike(tree(usual.response()));
            if (isLikeError) {
                add(
                        where,
                        LeakCause.CACHED_ERROR,
                        "%s is answered with status %d and the text of an error"
                                .formatted(wrong.what(), response.status()),
                        "",
                        Map.of(wrong.what(), shortened(words(response))),
                        answer.said(),
                        List.of(usual.user().name()));
            }
        }
    }

    // ---- comparing

    private List<DomDifference> unmasked(
            Place where, SharedAnswer one, SharedAnswer other, List<DomDifference> mask) {
        var all = differences(where, one, other);
        var secret = all.stream().filter(this::hasSecret).toList();
        var left =
                all.stream()
                        .filter(difference -> mask.stream().noneMatch(difference::isWithin))
                        .filter(difference -> secret.stream().noneMatch(difference::isBeside))
                        .toList();
        if (left.size() == 1 && left.getFirst().key().equals(LANGUAGE)) {
            // a view says in which language it was asked for, whether it has any words or not
            notes.add(
                    "%s differs in the field Content-Language only, its body does not: all may share it. spring.web.locale-resolver=fixed has the field say the same to all"
                            .formatted(where.target()));
            return List.of();
        }
        return left;
    }

    /** Whether it is found as a secret already. */
    private boolean hasSecret(DomDifference difference) {
        return !known().in(difference.left()).isEmpty()
                || !known().in(difference.right()).isEmpty();
    }

    private List<DomDifference> differences(Place where, SharedAnswer one, SharedAnswer other) {
        var found = new ArrayList<DomDifference>();
        if (one.response().status() != other.response().status()) {
            found.add(
                    new DomDifference(
                            "the status",
                            "status",
                            String.valueOf(one.response().status()),
                            String.valueOf(other.response().status()),
                            false));
            return found;
        }
        for (var name : COMPARED) {
            var mine = String.join(", ", one.response().fields().all(name));
            var theirs = String.join(", ", other.response().fields().all(name));
            if (!struck(mine).equals(struck(theirs))) {
                found.add(new DomDifference("the field " + name, name, mine, theirs, false));
            }
        }
        if (!one.response().body().equals(other.response().body())) {
            found.addAll(
                    DomDifference.between(
                            compared(where, one.response()), compared(where, other.response())));
        }
        return found;
    }

    private static String struck(String value) {
        return Tokens.SESSION_ID.matcher(value).replaceAll("");
    }

    private Element compared(Place where, Response response) {
        var tree = tree(response).clone();
        ignored.strike(where.target(), tree);
        Tokens.strike(tree);
        return tree;
    }

    private Element tree(Response response) {
        return trees.computeIfAbsent(response.body(), body -> parsed(response));
    }

    private static Element parsed(Response response) {
        var said = response.field("Content-Type");
        var type = said == null ? "text/html" : said.toLowerCase(Locale.ROOT);
        if (type.startsWith("text/html") || type.startsWith("application/xhtml")) {
            return DomDifference.tree(response.text());
        }
        if (type.contains("xml")) {
            return Jsoup.parse(response.text(), "", Parser.xmlParser());
        }
        var lines = new Element("text");
        for (var line : response.text().split("\\R", -1)) {
            lines.appendElement("line").text(line);
        }
        return lines;
    }

    // ---- what is said about it

    private static String words(Response response) {
        var text = Jsoup.parse(response.text()).text();
        return text.isBlank() ? "(nothing)" : text;
    }

    private static String around(String text, String word) {
        int at = Math.max(text.indexOf(word), 0);
        return text.substring(Math.max(0, at - 40), Math.min(text.length(), at + LONGEST - 40));
    }

    private static String shortened(String text) {
        var line = text.strip().replaceAll("\\s+", " ");
        if (line.isEmpty()) {
            return "(nothing)";
        }
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST - 1) + "…";
    }

    private Secrets known() {
        var now = secrets;
        if (now == null) {
            throw new IllegalStateException("expected secrets to be known once users have asked");
        }
        return now;
    }

    private void add(
            Place place,
            LeakCause cause,
            String by,
            String at,
            Map<String, String> sides,
            String kept,
            List<String> who) {
        var same =
                found.stream()
                        .filter(one ->
                                one.place.target().equals(place.target())
                                        && one.cause == cause
                                        && (isOneFinding(cause)
                                                || one.by.equals(
                                                        by.isEmpty() ? Set.of() : Set.of(by))))
                        .findFirst()
                        .orElse(null);
        if (same == null) {
            same = new Found(place, cause, at, new LinkedHashMap<>(sides), kept);
            found.add(same);
        }
        if (!by.isEmpty()) {
            same.by.add(by);
        }
        same.at.add(at);
        if (same.first.equals(at) && isOneFinding(cause)) {
            sides.forEach(same.sides::putIfAbsent);
        }
        same.who.addAll(who);
    }

    /** Whether all of this cause at one target is said at once; a field is a matter of its own. */
    private static boolean isOneFinding(LeakCause cause) {
        return switch (cause) {
            case LOCALE_WITHOUT_VARY, HEADER_WITHOUT_VARY, UNKNOWN -> false;
            default -> true;
        };
    }

    /**
     * What is asked for.
     *
     * @param handler that answers, if it is known
     * @param from what of the test, or who else, says to ask for it
     */
    record Place(String target, @Nullable FragmentHandler handler, String from) {}

    /** A finding that grows as it is met again. */
    private static final class Found {
        private final Place place;
        private final LeakCause cause;
        private final Set<String> by = new LinkedHashSet<>();
        private final String first;
        private final Map<String, String> sides;
        private final String kept;
        private final Set<String> at = new LinkedHashSet<>();
        private final Set<String> who = new LinkedHashSet<>();

        Found(Place place, LeakCause cause, String first, Map<String, String> sides, String kept) {
            this.place = place;
            this.cause = cause;
            this.first = first;
            this.sides = sides;
            this.kept = kept;
        }

        LeakFinding finding() {
            return new LeakFinding(
                    place.target(),
                    Optional.ofNullable(place.handler()),
                    cause,
                    String.join(", ", by),
                    List.copyOf(who),
                    first,
                    at.size() - 1,
                    sides,
                    kept);
        }
    }
}
