package dev.quire.test.attacks;

import dev.quire.test.attacks.Dialogue.Server;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The text behind {@code expect}: what is examined, and how. */
sealed interface Expectation {

    /** A claim about a text, which is null if absent. */
    record Claim(Verb verb, Template value) {
        boolean holds(@Nullable String found, String expected) {
            return switch (verb) {
                case ABSENT -> found == null;
                case PRESENT -> found != null;
                case IS -> found != null && List.of(expected.split(" or ", -1)).contains(found);
                case IS_NOT -> !expected.equals(found);
                case CONTAINS -> found != null && found.contains(expected);
                case LACKS -> found == null || !found.contains(expected);
            };
        }
    }

    /** The ways to compare. {@code is} accepts alternatives separated by {@code or}. */
    enum Verb {
        IS_NOT("is not"),
        IS("is"),
        CONTAINS("contains"),
        LACKS("lacks"),
        ABSENT("absent"),
        PRESENT("present");

        final String word;

        Verb(String word) {
            this.word = word;
        }

        boolean hasValue() {
            return this != ABSENT && this != PRESENT;
        }
    }

    /** The status of the last response. */
    record Status(Claim claim) implements Expectation {}

    /** The body of the last response. */
    record Body(Claim claim) implements Expectation {}

    /** All values of a field of the last response, separated by commas. */
    record Field(String name, Claim claim) implements Expectation {}

    /** All values of a field of the last request that a server has received. */
    record Received(Server server, String name, @Nullable String path, Claim claim)
            implements Expectation {}

    /** The target of the last request that a server has received. */
    record Target(Server server, Claim claim) implements Expectation {}

    /** The number of requests that a server has received, for a path or at all. */
    record Asked(Server server, @Nullable String path, Claim claim) implements Expectation {}

    /** The connection closes without another byte. */
    record Closed() implements Expectation {}

    /** The last request is answered with 4xx or 501 to 505, or the connection closes instead. */
    record Refused() implements Expectation {}

    /** Why a text is not an expectation. */
    final class Unknown extends Exception {
        private static final long serialVersionUID = 1;

        Unknown(String problem) {
            super(problem);
        }
    }

    /** Reads the text behind {@code expect}. */
    static Expectation of(String text) throws Unknown, Template.Malformed {
        var words = new Words(text);
        var subject = words.next("a subject");
        var expectation =
                switch (subject) {
                    case "status" -> new Status(claim(words));
                    case "body" -> new Body(claim(words));
                    case "field" -> new Field(words.next("a field name"), claim(words));
                    case "closed" -> new Closed();
                    case "refused" -> new Refused();
                    case "origin" -> ofServer(Server.ORIGIN, words);
                    case "other" -> ofServer(Server.OTHER, words);
                    default ->
                            throw unknown(
                                    subject,
                                    Set.of(
                                            "status", "body", "field", "closed", "refused",
                                            "origin", "other"));
                };
        if (!words.rest().isEmpty()) {
            throw new Unknown("'%s' (expected the end of the line)".formatted(words.rest()));
        }
        return expectation;
    }

    private static Expectation ofServer(Server server, Words words)
            throws Unknown, Template.Malformed {
        var subject = words.next("asked, field or target");
        return switch (subject) {
            case "asked" -> new Asked(server, pathIn(words), claim(words));
            case "target" -> new Target(server, claim(words));
            case "field" -> {
                var name = words.next("a field name");
                yield new Received(server, name, pathIn(words), claim(words));
            }
            default -> throw unknown(subject, Set.of("asked", "field", "target"));
        };
    }

    private static @Nullable String pathIn(Words words) throws Unknown {
        if (!words.skips("for ")) {
            return null;
        }
        var path = words.next("a path");
        if (!path.startsWith("/")) {
            throw new Unknown("'%s' (expected a path that starts with '/')".formatted(path));
        }
        return path;
    }

    private static Claim claim(Words words) throws Unknown, Template.Malformed {
        for (var verb : Verb.values()) {
            if (!verb.hasValue() && words.isRest(verb.word)) {
                words.skips(verb.word);
                return new Claim(verb, Template.of("", false));
            }
            if (verb.hasValue() && words.skips(verb.word + " ")) {
                return new Claim(verb, Template.of(words.takeRest(), false));
            }
        }
        throw new Unknown(
                "'%s' (expected one of is, is not, contains, lacks with a value, absent, present)"
                        .formatted(words.rest()));
    }

    private static Unknown unknown(String word, Set<String> known) {
        return new Unknown(
                "'%s' (expected one of %s)".formatted(word, known.stream().sorted().toList()));
    }

    /** The unread part of a line. */
    final class Words {
        private String rest;

        Words(String text) {
            rest = text;
        }

        String rest() {
            return rest;
        }

        boolean isRest(String text) {
            return rest.equals(text);
        }

        String takeRest() {
            var taken = rest;
            rest = "";
            return taken;
        }

        boolean skips(String start) {
            if (!rest.startsWith(start)) {
                return false;
            }
            rest = rest.substring(start.length());
            return true;
        }

        String next(String expected) throws Unknown {
            int end = rest.indexOf(' ');
            var word = end < 0 ? rest : rest.substring(0, end);
            rest = end < 0 ? "" : rest.substring(end + 1);
            if (word.isEmpty()) {
                throw new Unknown("the line ends (expected %s)".formatted(expected));
            }
            return word;
        }
    }
}
