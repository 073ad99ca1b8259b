package dev.quire.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.policy.SignedVariant;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.parser.Parser;

/**
 * Text that only its user may see: the user's own secrets, the cookies set by the site, and the
 * CSRF tokens on the user's pages.
 */
final class Secrets {
    /** Shorter secrets occur in any text by chance. */
    private static final int SHORTEST = 3;

    private static final int SHORTEST_COOKIE = 8;
    private static final Pattern ESCAPE = Pattern.compile("%[0-9A-F]{2}");

    private final Map<String, Secret> known;

    private Secrets(Map<String, Secret> known) {
        this.known = known;
    }

    /**
     * One secret.
     *
     * @param what its description in a message
     */
    record Secret(User owner, String text, LeakCause cause, String what) {
        /** No letter or digit, or the end of an escape in a URL or a script. */
        private static final String BEFORE =
                "(?:(?<![\\p{L}\\p{N}])|(?<=%\\p{XDigit}{2})|(?<=\\\\[nrt])|(?<=\\\\u\\p{XDigit}{4}))";

        /** The place in {@code words} where it begins as a separate word, or -1 if absent. */
        int at(String words) {
            var forms = encoded().map(Pattern::quote).collect(Collectors.joining("|"));
            var found =
                    Pattern.compile(BEFORE + "(?:" + forms + ")(?![\\p{L}\\p{N}])").matcher(words);
            return found.find() ? found.start() : -1;
        }

        /** The text, and as it may be encoded in a URL. */
        private Stream<String> encoded() {
            var inForm = URLEncoder.encode(text, UTF_8);
            var inPath = inForm.replace("+", "%20");
            return Stream.of(text, inForm, inPath, inLowerCase(inForm), inLowerCase(inPath))
                    .distinct();
        }

        private static String inLowerCase(String encoded) {
            return ESCAPE.matcher(encoded).replaceAll(it -> it.group().toLowerCase(Locale.ROOT));
        }

        /** Whether {@code words} contains it as a separate word. */
        boolean isIn(String words) {
            return at(words) >= 0;
        }
    }

    /** The secrets of {@code users}, each of whom has already sent a request to {@code site}. */
    static Secrets of(EsiSite site, List<User> users) {
        var known = new LinkedHashMap<String, Secret>();
        for (var user : users) {
            user.secrets().stream()
                    .sorted()
                    .filter(text -> text.length() >= SHORTEST)
                    .forEach(text -> known.put(text, seeded(user, text)));
        }
        for (var user : users) {
            site.as(user)
                    .cookies()
                    .forEach((name, value) -> {
                        if (value.length() >= SHORTEST_COOKIE && !saysVariant(value)) {
                            known.putIfAbsent(value, cookie(user, name, value));
                        }
                    });
        }
        for (var page : site.pages()) {
            var owner = page.site().user();
            if (users.stream().anyMatch(user -> user.name().equals(owner.name()))) {
                for (var token : Tokens.of(DomDifference.tree(page.html()))) {
                    known.putIfAbsent(
                            token,
                            new Secret(
                                    owner,
                                    token,
                                    LeakCause.CSRF_TOKEN,
                                    "the one of " + owner.name()));
                }
            }
        }
        return new Secrets(known);
    }

    /** Notes about the {@code users} whose secrets are too short to search for. */
    static List<String> tooShort(List<User> users) {
        var notes = new ArrayList<String>();
        for (var user : users) {
            user.secrets().stream()
                    .filter(text -> text.length() < SHORTEST)
                    .sorted()
                    .forEach(text ->
                            notes.add(
                                    "'%s' of %s is too short to search for (expected at least %d characters, and a word that no page contains by chance)"
                                            .formatted(text, user.name(), SHORTEST)));
        }
        return notes;
    }

    /** The secrets in {@code text}, each once, in the order of their users. */
    List<Secret> in(String text) {
        var found = new ArrayList<Secret>();
        var read = Parser.unescapeEntities(text, false);
        var seen = new HashSet<String>();
        for (var secret : known.values()) {
            // cheap check first: most texts contain none
            boolean mayHold =
                    text.contains(secret.text())
                            || read.contains(secret.text())
                            || text.contains(URLEncoder.encode(secret.text(), UTF_8));
            if (mayHold && (secret.isIn(text) || secret.isIn(read)) && seen.add(secret.text())) {
                found.add(secret);
            }
        }
        return found;
    }

    private static Secret seeded(User user, String text) {
        if (text.equals(user.name())) {
            return new Secret(user, text, LeakCause.USER_NAME, text);
        }
        return user.fields().all("Cookie").stream()
                .flatMap(line -> Stream.of(line.split(";\\s*")))
                .filter(pair -> pair.endsWith("=" + text))
                .map(pair -> cookie(user, pair.substring(0, pair.indexOf('=')), text))
                .findFirst()
                .orElseGet(() ->
                        new Secret(user, text, LeakCause.SECRET, "a secret of " + user.name()));
    }

    private static Secret cookie(User user, String name, String value) {
        boolean isToken = name.toLowerCase(Locale.ROOT).matches(".*(csrf|xsrf).*");
        return new Secret(
                user,
                value,
                isToken ? LeakCause.CSRF_TOKEN : LeakCause.SECRET,
                "the cookie %s of %s".formatted(name, user.name()));
    }

    /**
     * Whether it is the cookie of the reader's variant, which is not a secret and identifies no
     * one.
     */
    static boolean saysVariant(String cookie) {
        int dot = cookie.indexOf('.');
        return dot > 0 && SignedVariant.values(cookie.substring(0, dot)).isPresent();
    }
}
