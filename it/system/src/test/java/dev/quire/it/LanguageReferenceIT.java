package dev.quire.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.quire.it.LanguageReference.Row;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The language reference for users is correct and complete. */
class LanguageReferenceIT {
    private static final LanguageReference REFERENCE = LanguageReference.read();

    /** Attributes by element. */
    private static final Map<String, List<String>> ATTRIBUTES =
            Map.ofEntries(
                    Map.entry(
                            "include",
                            List.of(
                                    "src",
                                    "alt",
                                    "onerror",
                                    "primary",
                                    "select",
                                    "escape",
                                    "fragment",
                                    "dca",
                                    "ttl",
                                    "max-age",
                                    "no-store",
                                    "maxwait",
                                    "timeout",
                                    "redirect",
                                    "method",
                                    "entity",
                                    "setheader",
                                    "setheader2",
                                    "appendheader",
                                    "removeheader")),
                    Map.entry("eval", List.of("src", "dca")),
                    Map.entry("param", List.of("name", "value")),
                    Map.entry("request_header", List.of("name", "value")),
                    Map.entry("request_body", List.of("value")),
                    Map.entry("replace", List.of("fragment")),
                    Map.entry("fragment", List.of("name")),
                    Map.entry("inline", List.of("name", "fetchable")),
                    Map.entry("when", List.of("test", "matchname")),
                    Map.entry("except", List.of("code")),
                    Map.entry("vars", List.of("name", "escape")),
                    Map.entry("assign", List.of("name", "value")),
                    Map.entry("foreach", List.of("collection", "item")),
                    Map.entry("function", List.of("name")),
                    Map.entry("return", List.of("value")),
                    Map.entry("comment", List.of("text")));

    private static final List<String> VARIABLES =
            List.of(
                    "QUERY_STRING",
                    "REQUEST_PATH",
                    "REQUEST_METHOD",
                    "REMOTE_ADDR",
                    "HTTP_HOST",
                    "HTTP_REFERER",
                    "HTTP_HEADER",
                    "HTTP_COOKIE",
                    "HTTP_ACCEPT_LANGUAGE",
                    "HTTP_USER_AGENT",
                    "ESI_ARGS",
                    "ARGS",
                    "RAW_QUERY_STRING");

    private static final List<String> OPERATORS =
            List.of(
                    "*",
                    "/",
                    "%",
                    "+",
                    "-",
                    "==",
                    "!=",
                    "<",
                    "<=",
                    ">",
                    ">=",
                    "has",
                    "has_i",
                    "matches",
                    "matches_i",
                    "=~",
                    "&",
                    "|");

    private static @Nullable Origin origin;
    private static @Nullable RunningProxy proxy;

    @BeforeAll
    static void startWhatAllRowsShare() {
        origin = Origin.start();
        proxy = RunningProxy.inFrontOf(origin).start();
    }

    @AfterAll
    static void stop() {
        if (proxy != null) {
            proxy.close();
        }
        if (origin != null) {
            origin.close();
        }
    }

    @TestFactory
    Stream<DynamicTest> exampleGivesWhatItShows() {
        return REFERENCE.examples().stream()
                .map(example ->
                        dynamicTest(
                                example.heading() + ", line " + example.line(),
                                () -> run(example)));
    }

    @TestFactory
    Stream<DynamicTest> rowGivesWhatItShows() {
        return REFERENCE.rows().stream()
                .map(row ->
                        dynamicTest(
                                row.heading() + ", line " + row.line() + ": " + row.expression(),
                                () -> evaluate(row)));
    }

    @Test
    void blockOfAnUnknownNameIsAMistakeOfItsLine() {
        var lines = List.of("# Includes", "", "```esl", "<esi:include src=\"/a\"/>", "```");

        assertThatThrownBy(() -> LanguageReference.of(lines))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("esi.md, line 3: ")
                .hasMessageEndingWith("found esl");
    }

    @Test
    void everyElementHasAnExample() throws Exception {
        assertThat(constants("dev.quire.core.parse.Element").filter(each -> !each.equals("esi:")))
                .hasSizeGreaterThan(20)
                .allSatisfy(element -> assertThat(allExamples()).contains("<" + element));
    }

    @Test
    void everyAttributeHasAnExample() {
        ATTRIBUTES.forEach((element, attributes) -> {
            for (var attribute : attributes) {
                var written =
                        Pattern.compile(
                                "<esi:"
                                        + element
                                        + "(\\s+[\\w-]+=(\"[^\"]*\"|'[^']*'|[^\\s\"'>]+))*?\\s+"
                                        + attribute
                                        + "=");
                assertThat(written.matcher(allExamples()).find())
                        .as("%s= on esi:%s", attribute, element)
                        .isTrue();
            }
        });
    }

    @Test
    void everyFunctionHasAnExample() throws Exception {
        assertThat(
                        constants("dev.quire.core.expression.Functions")
                                .map(name -> name.toLowerCase(Locale.ROOT)))
                .hasSizeGreaterThan(30)
                .allSatisfy(name -> assertThat(allExamples()).contains("$" + name + "("));
    }

    @Test
    void everyVariableHasAnExample() {
        assertThat(VARIABLES)
                .allSatisfy(
                        name -> assertThat(allExamples()).containsPattern("\\$\\(" + name + "\\b"));
    }

    @Test
    void everyOperatorHasAnExample() {
        var expressions = REFERENCE.rows().stream().map(Row::expression).toList();

        assertThat(OPERATORS)
                .allSatisfy(sign ->
                        assertThat(expressions)
                                .anyMatch(expression -> expression.contains(" " + sign + " ")));
        assertThat(expressions).anyMatch(expression -> expression.startsWith("!"));
    }

    @Test
    void everyKeyOfTheConfigurationIsOneAndHasItsDefault() {
        var keys = REFERENCE.defaults();
        try (var any = Origin.start();
                var configured =
                        RunningProxy.inFrontOf(any)
                                .with("esi", "{ " + String.join(", ", keys) + " }")
                                .start()) {
            assertThat(keys).hasSizeGreaterThan(15);
            assertThat(configured.http()).isNotNull();
        }
    }

    private static void run(ReferenceExample example) {
        try (var site = Origin.start()) {
            example.documents().forEach(site::on);
            var setup = RunningProxy.inFrontOf(site);
            example.configuration().forEach(setup::with);
            try (var running = setup.start()) {
                var response = ask(running, example.request());

                var expected = example.expected();
                if (expected.body() != null) {
                    assertThat(response.text()).isEqualTo(expected.body());
                }
                assertThat(response.status()).isEqualTo(expected.status());
                for (int i = 0; i < expected.fields().size(); i += 2) {
                    assertThat(response.field(expected.fields().get(i)))
                            .isEqualTo(expected.fields().get(i + 1));
                }
                example.upstream().forEach(request -> assertSeen(site, request));
            }
        }
    }

    private static void assertSeen(Origin site, ReferenceExample.Request expected) {
        var seen = site.requests(expected.target());
        assertThat(seen)
                .as("requests for %s among %s", expected.target(), site.requests())
                .hasSize(1);
        var request = seen.getFirst();
        assertThat(request.method()).isEqualTo(expected.method());
        assertThat(request.body().text()).isEqualTo(expected.body());
        for (int i = 0; i < expected.fields().size(); i += 2) {
            var name = expected.fields().get(i);
            var value = expected.fields().get(i + 1);
            assertThat(request.field(name)).as(name).isEqualTo(value.isEmpty() ? null : value);
        }
    }

    private static void evaluate(Row row) {
        if (origin == null || proxy == null) {
            throw new IllegalStateException("no proxy was started");
        }
        var asked =
                row.request() == null
                        ? new ReferenceExample.Request("GET", "/row", List.of(), "")
                        : row.request();
        var expression =
                row.expression().replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
        origin.on(
                asked.path(),
                Answers.page(
                        "no-store",
                        "<esi:assign name=\"result\" value=\"%s\"/><esi:vars>$(result)</esi:vars>"
                                .formatted(expression)));

        assertThat(ask(proxy, asked).text()).isEqualTo(row.result());
    }

    private static Response ask(RunningProxy running, ReferenceExample.Request request) {
        return running.get(request.encodedTarget(), request.fields().toArray(String[]::new));
    }

    private static String allExamples() {
        var all = new ArrayList<String>();
        REFERENCE.examples().forEach(example -> all.add(example.text()));
        REFERENCE.rows().forEach(row -> all.add(row.expression()));
        return String.join("\n", all);
    }

    /** Returns the names of the constants of a package-private enum of the core. */
    private static Stream<String> constants(String type) throws ClassNotFoundException {
        var constants = Class.forName(type).getEnumConstants();
        assertThat(constants).as("constants of %s", type).isNotNull();
        return Arrays.stream(constants).map(Object::toString);
    }
}
