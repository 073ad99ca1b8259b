package dev.quire.test;

import dev.quire.core.policy.SignedVariant;
import dev.quire.test.wire.Response;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jsoup.Jsoup;

/** Checks of one answer to one user. One thread. */
final class SingleAnswerChecks {
    private final Set<Integer> keptOnPurpose;
    private final ReaderProbe readers;
    private final AnswerDifferences documents;
    private final Findings findings;

    SingleAnswerChecks(
            Set<Integer> keptOnPurpose,
            ReaderProbe readers,
            AnswerDifferences documents,
            Findings findings) {
        this.keptOnPurpose = keptOnPurpose;
        this.readers = readers;
        this.documents = documents;
        this.findings = findings;
    }

    /** Whether it can be checked: an error or a redirect only if it is stored. */
    boolean isAnswer(SharedAnswer answer) {
        int status = answer.response().status();
        return status < 300 || keptOnPurpose.contains(status) || !answer.lifetime().isZero();
    }

    /** Reports that the application has no answer for any user. */
    void noAnswer(Findings.Place where, Iterable<SharedAnswer> answers) {
        for (var answer : answers) {
            int status = answer.response().status();
            var to = answer.response().field("Location");
            var user = answer.user().name();
            findings.add(
                    where,
                    LeakCause.NO_ANSWER,
                    "status " + status,
                    where.from(),
                    Map.of(user, status + (to == null ? "" : " to " + to) + ", " + answer.said()),
                    "",
                    List.of(user));
        }
    }

    /** Reports that no answer is public. */
    void notShared(Findings.Place where, Iterable<SharedAnswer> answers) {
        var handler = where.handler();
        boolean isDeclared =
                handler != null
                        && handler.isPublic()
                        && handler.ttl().filter(time -> time.isZero()).isEmpty();
        for (var answer : answers) {
            var reason = answer.reason();
            var user = answer.user().name();
            int status = answer.response().status();
            if (isDeclared) {
                findings.add(
                        where,
                        LeakCause.NOT_SHARED,
                        reason == null ? "" : reason,
                        "",
                        Map.of(user, status + ", " + answer.said()),
                        "",
                        List.of(user));
            } else {
                findings.note(
                        "%s was not checked: its response is private%s: status %d, %s"
                                .formatted(
                                        where.target(),
                                        reason == null ? "" : " (" + reason + ")",
                                        status,
                                        answer.said()));
                return;
            }
        }
    }

    /** Checks that a response that is public for some users is public for all. */
    void keptForSome(Findings.Place where, Map<User, SharedAnswer> answers) {
        var shared = answers.values().stream().filter(SharedAnswer::isShared).toList();
        var others =
                answers.values().stream()
                        .filter(answer -> !answer.isShared() && !answer.isAuthorized())
                        .toList();
        var vary = shared.getFirst().vary();
        boolean isDeclared =
                vary.contains("cookie")
                        || vary.contains(SignedVariant.FIELD.toLowerCase(Locale.ROOT))
                        || (where.handler() != null && !where.handler().variants().isEmpty());
        if (others.isEmpty() || isDeclared) {
            for (var other : others) {
                findings.note(
                        "%s is private for %s, by a declared variant: %s"
                                .formatted(where.target(), other.user().name(), other.said()));
            }
            return;
        }
        var one = shared.getFirst();
        var other = others.getFirst();
        var reason = other.reason();
        Map<String, String> sides = new LinkedHashMap<>();
        sides.put(one.user().name(), one.response().status() + ", " + one.said());
        sides.put(other.user().name(), other.response().status() + ", " + other.said());
        findings.add(
                where,
                LeakCause.KEPT_FOR_SOME,
                reason == null ? "" : reason,
                "",
                sides,
                "",
                others.stream().map(answer -> answer.user().name()).toList());
    }

    /**
     * The answer to a request that follows the first ones; if it is public, it is checked for what
     * they do not show.
     *
     * @param how how the request differs from the first ones
     */
    Optional<SharedAnswer> ask(Findings.Place where, User user, String how) {
        var answer = readers.ask(where, user);
        answer.filter(SharedAnswer::isShared).ifPresent(it -> alone(where, it, how));
        return answer;
    }

    /**
     * Checks for content that no public answer may have.
     *
     * @param how how the request differs from the first ones, whose findings are not repeated;
     *     empty for these
     */
    void alone(Findings.Place where, SharedAnswer answer, String how) {
        var asked = new Asked(where, answer, how);
        var response = answer.response();
        var tree = documents.tree(response);
        errors(asked);
        for (var line : response.fields().all("Set-Cookie")) {
            int end = line.indexOf('=');
            var name = end < 0 ? line : line.substring(0, end);
            var field = new Tokens.Spot("the field Set-Cookie", line);
            spot(asked, LeakCause.SESSION_COOKIE, name.strip(), field);
        }
        for (var spot : Tokens.spots(tree, text -> Tokens.SESSION_ID.matcher(text).find())) {
            spot(asked, LeakCause.SESSION_ID_IN_URL, "", spot);
        }
        Tokens.csrf(tree).forEach(spot -> spot(asked, LeakCause.CSRF_TOKEN, "", spot));
        Tokens.nonces(tree).forEach(spot -> spot(asked, LeakCause.NONCE, "", spot));
        response.fields()
                .forEach((name, value) -> {
                    var field = new Tokens.Spot("the field " + name, value);
                    if (name.toLowerCase(Locale.ROOT).startsWith("content-security-policy")
                            && value.contains("'nonce-")) {
                        spot(asked, LeakCause.NONCE, "", field);
                    }
                    if (name.equalsIgnoreCase("Set-Cookie")) {
                        return;
                    }
                    if (Tokens.SESSION_ID.matcher(value).find()) {
                        spot(asked, LeakCause.SESSION_ID_IN_URL, "", field);
                    }
                    for (var secret :
                            readers.known().in(Tokens.SESSION_ID.matcher(value).replaceAll(""))) {
                        secret(asked, secret, field);
                    }
                });
        var body = Tokens.SESSION_ID.matcher(response.text()).replaceAll("");
        for (var secret : readers.known().in(body)) {
            var spots =
                    Tokens.spots(
                            tree,
                            text -> secret.isIn(Tokens.SESSION_ID.matcher(text).replaceAll("")));
            if (spots.isEmpty()) {
                secret(asked, secret, new Tokens.Spot("", body));
            }
            spots.forEach(spot -> secret(asked, secret, spot));
        }
    }

    /** An answer, and how its request differs from the first ones; empty for these. */
    private record Asked(Findings.Place where, SharedAnswer answer, String how) {
        String who() {
            return how.isEmpty() ? answer.user().name() : how;
        }
    }

    private void secret(Asked asked, Secrets.Secret secret, Tokens.Spot spot) {
        var near = Findings.shortened(spot.value(), secret::at);
        spot(asked, secret.cause(), secret.what(), new Tokens.Spot(spot.place(), near));
    }

    private void errors(Asked asked) {
        var response = asked.answer().response();
        int status = response.status();
        boolean isTrace = status < 400 && ErrorText.isTrace(response.text());
        if (isStoredError(asked.answer()) || isTrace) {
            var plain = "status " + status;
            boolean isPlain =
                    asked.how().isEmpty()
                            || findings.has(asked.where(), LeakCause.CACHED_ERROR, plain);
            spot(
                    asked,
                    LeakCause.CACHED_ERROR,
                    isPlain ? plain : asked.how() + " is answered with " + plain,
                    new Tokens.Spot("", words(response)));
        }
    }

    /** Whether it is an error that a cache would store, though not on purpose. */
    boolean isStoredError(SharedAnswer answer) {
        int status = answer.response().status();
        return status >= 400 && !keptOnPurpose.contains(status) && !answer.lifetime().isZero();
    }

    private void spot(Asked asked, LeakCause cause, String by, Tokens.Spot spot) {
        if (!asked.how().isEmpty() && findings.has(asked.where(), cause, by)) {
            return;
        }
        findings.add(
                asked.where(),
                cause,
                by,
                spot.place(),
                Map.of(asked.who(), Findings.shortened(spot.value())),
                asked.answer().said(),
                List.of(asked.answer().user().name()));
    }

    /** The text of a response, without its markup. */
    static String words(Response response) {
        var text = Jsoup.parse(response.text()).text();
        return text.isBlank() ? "(nothing)" : text;
    }
}
