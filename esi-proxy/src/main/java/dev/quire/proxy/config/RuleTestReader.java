package dev.quire.proxy.config;

import dev.quire.core.http.FieldSyntax;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.TemplateParser.SyntaxError;
import dev.quire.core.text.Literal;
import dev.quire.proxy.config.RuleTest.Expectation;
import dev.quire.proxy.config.RuleTest.Result;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the section {@code tests}. */
final class RuleTestReader {
    private static final String FOR_DOCUMENTS = "203.0.113.1";

    private static final List<String> OF_ANSWERS =
            List.of("ttl", "grace", "stale-if-error", "stored", "tags");

    /** The URL of a test. */
    private record Url(Scheme scheme, String authority, String target) {
        @Override
        public String toString() {
            return scheme.text() + "://" + authority + target;
        }
    }

    private static final ValueParser<Url> URL =
            ValueParser.compiled(
                    "URL",
                    "http://HOST/PATH or https://HOST/PATH",
                    text -> {
                        for (var scheme : Scheme.values()) {
                            var prefix = scheme.text() + "://";
                            if (text.startsWith(prefix)) {
                                return url(scheme, text, prefix.length());
                            }
                        }
                        throw new SyntaxError(
                                0, "is not a URL with http or https", "http://HOST/PATH");
                    });

    private static final ValueParser<InetAddress> ADDRESS =
            ValueParser.matching(
                            "address",
                            "an address such as 203.0.113.1 or ::1",
                            "[0-9A-Fa-f:.]+",
                            Literal::address)
                    .writing(InetAddress::getHostAddress);

    /** The depth of a fragment. */
    private static final ValueParser<Integer> LEVEL =
            new ValueParser<>(
                    "true, false, or a depth from 1 to 100",
                    text ->
                            switch (text) {
                                case "true" -> Optional.of(1);
                                case "false" -> Optional.of(0);
                                default -> ValueParser.number(1, 100).reading().apply(text);
                            },
                    level -> level == 0 ? "false" : String.valueOf(level),
                    new ValueForm(
                            "boolean or number",
                            "a depth from 1 to 100",
                            Map.of("type", List.of("boolean", "integer"))));

    private static final ValueParser<String> FIELD_VALUE =
            ValueParser.compiled(
                    "text",
                    "the value of a field",
                    text -> {
                        if (!FieldSyntax.isValue(text.strip())) {
                            throw new SyntaxError(0, "is not the value of a field", "text");
                        }
                        return text.strip();
                    });

    private RuleTestReader() {}

    private static Url url(Scheme scheme, String text, int from) throws SyntaxError {
        int slash = text.indexOf('/', from);
        var authority = slash < 0 ? text.substring(from) : text.substring(from, slash);
        if (ValueParser.AUTHORITY.reading().apply(authority).isEmpty()) {
            throw new SyntaxError(from, "has no valid host", "http://HOST/PATH");
        }
        var target = slash < 0 ? "/" : text.substring(slash);
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '#') {
                throw new SyntaxError(
                        slash + i, "contains '" + c + "'", "a URL, other bytes percent-encoded");
            }
        }
        return new Url(scheme, CacheKey.authority(authority, scheme), target);
    }

    static List<RuleTest> tests(Section root) {
        var number = new int[1];
        return root
                .sections("tests", section -> test(section, "tests[" + number[0]++ + "]"))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<RuleTest> test(Section section, String key) {
        var get = section.optional("get", URL);
        var url = section.optional("url", URL);
        var method = section.optional("method", RuleTexts.METHOD);
        if (get.isPresent() && (url.isPresent() || method.isPresent())) {
            section.wrong("get", "cannot be combined with url or method", "one of the two");
        }
        var target = get.or(() -> url);
        if (section.isMapping() && !section.hasAny(List.of("get", "url"))) {
            section.wrong("get", "is missing", "get: URL, or method and url");
        }
        var fields = fields(section.values("fields", RuleTexts.FIELD, FIELD_VALUE));
        var cookies =
                section.values("cookies", ValueParser.COOKIE, FIELD_VALUE).entrySet().stream()
                        .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                        .toList();
        var client = section.value("client", ADDRESS, address());
        int level = section.value("fragment", LEVEL, 0);
        var answer =
                section.has("answers")
                        ? Optional.of(section.section("answers", RuleTestReader::answer))
                        : Optional.<ResponseHead>empty();
        boolean isAnswered = section.hasAny(List.of("answers"));
        var expected =
                section.section("expect", inner -> expected(inner, key + ".expect", isAnswered));
        return target.map(asked ->
                new RuleTest(
                        key,
                        new RequestHead(
                                method.orElse("GET"),
                                asked.scheme(),
                                asked.authority(),
                                asked.target(),
                                RuleTest.fields(asked.authority(), fields, cookies)),
                        client,
                        level,
                        isAnswered ? answer : Optional.empty(),
                        expected));
    }

    /** An address for documents (RFC 5737). */
    private static InetAddress address() {
        return Literal.address(FOR_DOCUMENTS).orElseThrow();
    }

    private static Fields fields(Map<String, String> values) {
        var fields = new Fields.Builder();
        values.forEach(fields::add);
        return fields.build();
    }

    private static ResponseHead answer(Section section) {
        int status = section.value("status", ValueParser.number(200, 599), 200);
        var type = section.optional("type", FIELD_VALUE);
        var fields = section.values("fields", RuleTexts.FIELD, FIELD_VALUE);
        var all = new Fields.Builder();
        type.ifPresent(media -> all.add("Content-Type", media));
        fields.forEach(all::add);
        return new ResponseHead(status, "", all.build());
    }

    private static List<Expectation> expected(Section section, String at, boolean isAnswered) {
        var found = new Expectations(section, at);
        found.value("status", Result.STATUS, ValueParser.number(100, 599));
        found.value("location", Result.LOCATION, ValueParser.TEXT);
        found.value("origin", Result.ORIGIN, ValueParser.TEXT);
        found.value("origin-name", Result.ORIGIN_NAME, ValueParser.NAME);
        found.value("host", Result.HOST, ValueParser.AUTHORITY);
        found.list("cookies", Result.COOKIES);
        found.list("rules", Result.RULES);
        found.value("cache", Result.CACHE, ValueParser.oneOf(CacheUse.class));
        found.list("key", Result.KEY);
        var duration = ConfigurationReader.FROM_ZERO;
        found.value("ttl", Result.TTL, duration);
        found.value("grace", Result.GRACE, duration);
        found.value("stale-if-error", Result.STALE_IF_ERROR, duration);
        found.value("stored", Result.STORED, ValueParser.TRUTH);
        found.list("tags", Result.TAGS);
        found.value("body", Result.BODY, ValueParser.TEXT);
        found.valueOrNone("error-page", Result.ERROR_PAGE, ValueParser.TEXT);
        found.fields("fields", Result.FIELD);
        if (section.has("delivered")) {
            section.section(
                    "delivered",
                    inner -> {
                        found.fields(inner, "fields", Result.DELIVERED);
                        return inner;
                    });
        }
        if (!isAnswered) {
            OF_ANSWERS.stream()
                    .filter(key -> section.hasAny(List.of(key)))
                    .forEach(key ->
                            section.wrong(
                                    key,
                                    "needs the response of the origin",
                                    "answers in the test"));
        }
        return found.all;
    }

    /** How a request uses the cache. */
    enum CacheUse {
        LOOKUP,
        PASS,
        NONE
    }

    /** Collects the expected values of one test. */
    private static final class Expectations {
        private final Section section;
        private final String at;
        private final List<Expectation> all = new ArrayList<>();

        Expectations(Section section, String at) {
            this.section = section;
            this.at = at;
        }

        private void add(String key, Result result, String text) {
            all.add(
                    new Expectation(
                            section.place(key), at + "." + key, result, "", Optional.of(text)));
        }

        <T> void value(String key, Result result, ValueParser<T> notation) {
            section.optional(key, notation)
                    .ifPresent(value -> add(key, result, notation.writing().apply(value)));
        }

        /** An empty or null value expects the result to be absent. */
        <T> void valueOrNone(String key, Result result, ValueParser<T> notation) {
            var value = section.optional(key, notation).map(notation.writing());
            if (section.hasAny(List.of(key))) {
                all.add(new Expectation(section.place(key), at + "." + key, result, "", value));
            }
        }

        void list(String key, Result result) {
            var values = section.oneOrMore(key, ValueParser.TEXT);
            if (section.hasAny(List.of(key))) {
                add(key, result, RuleTest.text(values));
            }
        }

        void fields(String key, Result result) {
            fields(section, key, result);
        }

        /** An empty or null value expects that the field is absent. */
        void fields(Section from, String key, Result result) {
            if (!from.has(key)) {
                return;
            }
            from.section(
                    key,
                    inner -> {
                        for (var name : inner.names(RuleTexts.FIELD)) {
                            all.add(
                                    new Expectation(
                                            inner.place(name),
                                            at
                                                    + (from == section ? "." : ".delivered.")
                                                    + key
                                                    + "."
                                                    + name,
                                            result,
                                            name,
                                            inner.optional(name, ValueParser.TEXT)));
                        }
                        return inner;
                    });
        }
    }
}
