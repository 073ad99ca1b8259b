package dev.quire.proxy.config;

import dev.quire.core.rule.Credentials;
import dev.quire.core.rule.EndingAction;
import dev.quire.core.rule.PasswordHash;
import dev.quire.core.rule.RateLimit;
import dev.quire.core.rule.TemplateParser;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.rule.TextTemplate;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the actions {@code limit} and {@code auth} of a rule. */
final class AccessReader {
    static final String HASH_EXPECTED =
            "a hash of htpasswd -B ($2a$, $2b$ or $2y$) with a cost from 4 to "
                    + PasswordHash.MAX_COST;

    private static final Pattern RATE_FORM = Pattern.compile("([1-9][0-9]{0,6})/([smh])");

    /**
     * A number of requests in a time.
     *
     * @param unit s, m or h
     */
    private record Rate(int count, char unit) {
        double perSecond() {
            return switch (unit) {
                case 's' -> count;
                case 'm' -> count / 60.0;
                default -> count / 3_600.0;
            };
        }

        @Override
        public String toString() {
            return count + "/" + unit;
        }
    }

    private static final ValueParser<Rate> RATE =
            ValueParser.matching(
                    "rate",
                    "a number from 1 to " + RateLimit.MOST + " and /s, /m or /h, such as 5/s",
                    RATE_FORM.pattern(),
                    AccessReader::rate);

    /** The requests that count. */
    private enum Counted {
        ALL,
        MISSES
    }

    private static final ValueParser<PasswordHash> HASH =
            ValueParser.<PasswordHash>compiled(
                            "hash",
                            HASH_EXPECTED,
                            text ->
                                    PasswordHash.of(text)
                                            .orElseThrow(() ->
                                                    new SyntaxError(
                                                            0,
                                                            "is not a bcrypt hash",
                                                            HASH_EXPECTED)))
                    .writing(hash -> SecretMask.MASK);

    private static final ValueParser<String> USER =
            ValueParser.scalar(
                    "name",
                    "1 to 256 characters without colons and control characters",
                    "[^:]{1,256}",
                    text ->
                            Optional.of(text)
                                    .filter(it ->
                                            !it.isEmpty()
                                                    && it.length() <= 256
                                                    && it.indexOf(':') < 0
                                                    && it.chars()
                                                            .noneMatch(Character::isISOControl)));

    private static final ValueParser<String> REALM =
            ValueParser.scalar(
                    "text",
                    "1 to 100 printable ASCII characters",
                    "[ -~]{1,100}",
                    text -> Optional.of(text).filter(it -> it.matches("[ -~]{1,100}")));

    private final TemplateParser parser;

    AccessReader(TemplateParser parser) {
        this.parser = parser;
    }

    private static Optional<Rate> rate(String text) {
        var parts = RATE_FORM.matcher(text);
        return parts.matches()
                ? Optional.of(new Rate(Integer.parseInt(parts.group(1)), parts.group(2).charAt(0)))
                        .filter(rate -> rate.count() <= RateLimit.MOST)
                : Optional.empty();
    }

    /**
     * @param rule its name, also that of its buckets unless they have another one
     */
    Optional<EndingAction> limit(Section section, String rule) {
        var by = section.value("by", RuleTexts.template(parser), ofClient());
        var rate = section.required("rate", RATE);
        var burst = section.optional("burst", ValueParser.number(1, RateLimit.MOST));
        var counted = section.value("only", ValueParser.oneOf(Counted.class), Counted.ALL);
        var name = section.optional("name", ValueParser.NAME).orElse(rule);
        return rate.map(found ->
                new EndingAction.Limit(
                        new RateLimit(
                                name,
                                by,
                                found.perSecond(),
                                burst.orElse(found.count()),
                                counted == Counted.MISSES)));
    }

    private TextTemplate ofClient() {
        try {
            return parser.parse("{client.ip}", false);
        } catch (SyntaxError e) {
            throw new IllegalStateException("every parser knows client.ip", e);
        }
    }

    Optional<EndingAction> login(Section section) {
        var realm = section.value("realm", REALM, "Restricted");
        boolean forwards = section.value("forward", ValueParser.TRUTH, false);
        var file = section.optional("file", file(section.directory()));
        section.requireNonEmpty("users");
        var users = section.values("users", USER, HASH);
        boolean hasUsers = section.hasAny(List.of("users"));
        boolean hasFile = section.hasAny(List.of("file"));
        if (hasUsers == hasFile) {
            section.wrong(
                    "file",
                    hasFile ? "cannot be combined with users" : "is missing",
                    "file or users");
        } else if (hasUsers && users.isEmpty()) {
            section.wrong("users", "has no valid user", "NAME: HASH, " + HASH_EXPECTED);
        }
        var all = file.map(path -> ofFile(section, path)).orElse(users);
        return Optional.of(new EndingAction.Login(new Credentials(realm, forwards, all)));
    }

    private static Map<String, PasswordHash> ofFile(Section section, Path path) {
        var content = PasswordFile.read(path);
        content.faults().forEach(fault -> section.wrong("file", fault.what(), fault.expected()));
        return content.users();
    }

    /** A file, whose name may be relative to {@code directory}. */
    private static ValueParser<Path> file(Path directory) {
        return ValueParser.scalar(
                "file",
                "a file of htpasswd -B, relative to the configuration file",
                ".+",
                text -> {
                    try {
                        return Optional.of(directory.resolve(text));
                    } catch (InvalidPathException e) {
                        return Optional.empty();
                    }
                });
    }
}
