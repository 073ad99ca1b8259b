package dev.quire.test;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SignedVariant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Compares answers to the same user, and answers to different users. One thread. */
final class ReaderComparison {
    private final List<User> users;
    private final ReaderProbe readers;
    private final AnswerDifferences documents;
    private final SingleAnswerChecks single;
    private final Findings findings;

    ReaderComparison(
            List<User> users,
            ReaderProbe readers,
            AnswerDifferences documents,
            SingleAnswerChecks single,
            Findings findings) {
        this.users = users;
        this.readers = readers;
        this.documents = documents;
        this.single = single;
        this.findings = findings;
    }

    /** The differences between two answers to the same user, by user. */
    Map<String, List<DomDifference>> changes(
            Findings.Place where, Map<User, SharedAnswer> first, Map<User, SharedAnswer> again) {
        Map<String, List<DomDifference>> changes = new HashMap<>();
        for (var user : users) {
            var one = first.get(user);
            var other = again.get(user);
            if (one == null || other == null || !one.isShared() || !other.isShared()) {
                continue;
            }
            var differences = documents.differences(where, one, other);
            changes.put(user.name(), new ArrayList<>(differences));
            for (var difference : differences) {
                if (documents.hasSecret(difference)) {
                    continue;
                }
                findings.add(
                        where,
                        Changing.cause(difference),
                        "",
                        difference.place(),
                        Findings.sides(difference, user.name(), user.name() + " again"),
                        one.said(),
                        List.of(user.name()));
            }
        }
        return changes;
    }

    /** Checks that users to whom a cache would send the same stored response get the same one. */
    void betweenUsers(
            Findings.Place where,
            Map<User, SharedAnswer> answers,
            Map<String, List<DomDifference>> changes) {
        var all =
                Stream.concat(
                                answers.values().stream().filter(SharedAnswer::isShared),
                                answers.values().stream().filter(SharedAnswer::isAuthorized))
                        .toList();
        for (int i = 1; i < all.size(); i++) {
            var other = all.get(i);
            all.subList(0, i).stream()
                    .filter(one -> one.isShared() && isForBoth(one, other))
                    .findFirst()
                    .ifPresent(one -> compare(where, one, other, changes));
        }
    }

    /** One of {@code answers} for each response that a cache would store, such as a variant. */
    List<SharedAnswer> stored(Collection<SharedAnswer> answers) {
        var stored = new ArrayList<SharedAnswer>();
        for (var answer : answers) {
            if (answer.isShared() && stored.stream().noneMatch(one -> isForBoth(one, answer))) {
                stored.add(answer);
            }
        }
        return stored;
    }

    /**
     * Whether a cache would give both users the same stored response, regardless of other fields.
     */
    private boolean isForBoth(SharedAnswer one, SharedAnswer other) {
        var vary = one.agreedVary(other);
        boolean hasVariants = vary.contains(SignedVariant.FIELD.toLowerCase(Locale.ROOT));
        boolean isByCookie =
                vary.contains("cookie")
                        && !readers.cookies(one.user()).equals(readers.cookies(other.user()));
        return !isByCookie
                && !(hasVariants
                        && !readers.variantOf(one.user()).equals(readers.variantOf(other.user())));
    }

    private void compare(
            Findings.Place where,
            SharedAnswer one,
            SharedAnswer other,
            Map<String, List<DomDifference>> changes) {
        // with the other user's values of the fields that both list in Vary
        var asOne = other.user();
        for (var name : one.agreedVary(other)) {
            var value = one.user().fields().first(name);
            if (!name.equals("cookie")) {
                asOne =
                        value == null
                                ? ReaderProbe.without(asOne, name)
                                : ReaderProbe.with(asOne, name, value);
            }
        }
        var otherUser = asOne;
        var again = other.user().name() + " again";
        var theirs =
                otherUser.fields().toString().equals(other.user().fields().toString())
                        ? Optional.of(other)
                        : single.ask(where, otherUser, again);
        var mask = new ArrayList<DomDifference>();
        mask.addAll(changes.getOrDefault(one.user().name(), List.of()));
        mask.addAll(changes.getOrDefault(other.user().name(), List.of()));
        var suspects = theirs.map(it -> documents.unmasked(where, one, it, mask)).orElse(List.of());
        if (suspects.isEmpty()) {
            return;
        }
        // repeat the request, to exclude content that changes by itself
        single.ask(where, one.user(), one.user().name() + " again")
                .ifPresent(later -> mask.addAll(documents.differences(where, one, later)));
        single.ask(where, otherUser, again)
                .ifPresent(later ->
                        mask.addAll(documents.differences(where, theirs.orElseThrow(), later)));
        for (var difference : documents.unmasked(where, one, theirs.orElseThrow(), mask)) {
            var reason = reason(where, one, otherUser, difference);
            findings.add(
                    where,
                    reason.cause(),
                    reason.by(),
                    difference.place(),
                    Findings.sides(difference, one.user().name(), other.user().name()),
                    one.said(),
                    List.of(one.user().name(), other.user().name()));
        }
    }

    private record Reason(LeakCause cause, String by) {}

    /** The field or cookie of {@code other} that causes the difference to {@code one}. */
    private Reason reason(
            Findings.Place where, SharedAnswer one, User other, DomDifference difference) {
        var user = one.user();
        var names = new TreeSet<String>(String.CASE_INSENSITIVE_ORDER);
        other.fields().forEach((name, value) -> names.add(name));
        names.remove("Cookie");
        for (var name : names) {
            var theirs = String.valueOf(other.fields().first(name));
            if (!theirs.equals(user.fields().first(name))
                    && shows(where, one, ReaderProbe.with(user, name, theirs), difference)) {
                return new Reason(LeakCheck.causeOf(name), name);
            }
        }
        var mine = readers.cookies(user);
        for (var cookie : readers.cookies(other).entrySet()) {
            if (cookie.getValue().equals(mine.get(cookie.getKey()))) {
                continue;
            }
            Map<String, String> swapped = new LinkedHashMap<>(mine);
            swapped.put(cookie.getKey(), cookie.getValue());
            // a new user name, for which the site has stored no cookies, so that these are all
            var fields =
                    new Fields.Builder()
                            .addAll(user.fields().without("cookie"::equalsIgnoreCase))
                            .add("Cookie", ReaderProbe.joined(swapped))
                            .build();
            var probe =
                    new User(
                            user.name() + " with " + other.name() + "'s " + cookie.getKey(),
                            fields,
                            User.Login.NONE,
                            Set.of());
            if (shows(where, one, probe, difference)) {
                boolean isPersonal =
                        readers.isGiven(other, cookie.getKey())
                                || !readers.known().in(cookie.getValue()).isEmpty();
                return new Reason(
                        isPersonal ? LeakCause.UNKNOWN : LeakCause.HEADER_WITHOUT_VARY,
                        "the cookie " + cookie.getKey());
            }
        }
        return new Reason(LeakCause.UNKNOWN, "");
    }

    /** Whether {@code asking} gets the right side of {@code difference}. */
    private boolean shows(
            Findings.Place where, SharedAnswer one, User asking, DomDifference difference) {
        return readers
                .ask(where, asking)
                .map(answer -> documents.differences(where, one, answer))
                .orElse(List.of())
                .stream()
                .anyMatch(it ->
                        it.key().equals(difference.key()) && it.right().equals(difference.right()));
    }
}
