package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.test.wire.Content;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaseFileTest {
    private static final String CASE =
            """
            {"id": "one", "origin": {"/": {"body": "a"}}, "request": {"path": "/"}, "expect": {"body": "a"}}
            """;

    private static Case only(String line) throws InvalidCases {
        return CaseFile.parse(line).getFirst();
    }

    @Test
    void casesOfTheRepositoryAreAllUnderstood() throws InvalidCases {
        assertThat(CaseFile.read(RepositoryCases.FILE)).hasSizeGreaterThan(300);
    }

    @Test
    void caseMaySayLittle() throws InvalidCases {
        var one = only(CASE);

        assertThat(one.id()).isEqualTo("one");
        assertThat(one.request().method()).isEqualTo("GET");
        assertThat(one.request().lines()).containsExactly("Host", "example.test");
        assertThat(one.runs())
                .extracting(Run::toString)
                .containsExactly(
                        "whole",
                        "pieces of 1",
                        "pieces of 2",
                        "pieces of 3",
                        "pieces of 7",
                        "pieces of 16",
                        "hit");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    "id": "one"       | "id": "one", "expects": {} | expects
                    "body": "a"}}     | "bodie": "a"}}             | origin./.bodie
                    "path": "/"       | "path": "/", "body": "x"   | request.body
                    {"body": "a"}}\\n | {"bodyIs": "a"}}           | expect.bodyIs
                    {"body": "a"}}\\n | {"upstream": [{"path": "/", "header": {}}]}} | expect.upstream[0].header
                    {"body": "a"}}\\n | {"body": "a"}, "config": {"maxDeep": 1}}     | config.maxDeep
                    """)
    void unknownKeyIsAnErrorThatNamesItAndItsLine(String from, String to, String key) {
        var line = CASE.replace(from.replace("\\n", "\n"), to);

        assertThatThrownBy(() -> CaseFile.parse("\n" + line))
                .isInstanceOf(InvalidCases.class)
                .hasMessageStartingWith("line 2: " + key + ": is not a known key (expected one of");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    "id": "one"   | "id": 1                                  | id: is 1 (expected a string)
                    "id": "one",  | "feature": "x",                          | id: is missing
                    {"body": "a"}}, | {"body": "a", "fault": "burn"}},       | 'burn' is not a known fault (expected connection-reset or content-length-100-then-close)
                    {"body": "a"}}, | {"body": "a", "bodyBase64": "YQ=="}},  | is given more than once
                    {"body": "a"}}, | {"bodyBase64": "?"}},                  | is not base64
                    {"body": "a"}}, | {"bodyParts": ["a", {"repeat": "b"}]}}, | origin./.bodyParts: holds
                    {"body": "a"}}, | {"body": "a", "gzip": "yes"}},         | origin./.gzip: is the string "yes" (expected true or false)
                    {"body": "a"}}, | {"body": "a", "delayMs": -1}},         | origin./.delayMs: is -1
                    {"body": "a"}}, | {"headers": {"X": 1}}},                | origin./.headers.X: is 1 (expected a string)
                    {"/": {       | {"f": {                                  | 'f' is not a path
                    "path": "/"   | "path": "f"                              | 'f' is not a target
                    "path": "/"   | "path": "/", "headers": {"Host": "b"}    | request.headers.Host: is another host
                    "path": "/"   | "path": "/", "method": "get"             | 'get' is not a method
                    "path": "/"   | "path": "/", "path": "/"                 | Duplicate
                    "expect": {"body": "a"} | "expect": {}                   | expected at least one expectation
                    "expect": {"body": "a"} | "expect": {"contains": ""}     | expect.contains: is empty
                    "expect": {"body": "a"} | "expect": {"absent": [""]}     | expect.absent: holds
                    "expect": {"body": "a"} | "expect": {"notRequested": ["f"]} | 'f' is not a path
                    "expect": {"body": "a"} | "expect": {"status": "200"}    | expect.status: is the string
                    "expect": {"body": "a"} | "expect": {"upstream": [{"path": "/", "headersMatch": {"a": "("}}]} | a regular expression
                    "expect": {"body": "a"} | "expect": {"body": "a"}, "config": {"maxDepth": "3"} | config.maxDepth: is the string
                    "expect": {"body": "a"} | "expect": {"body": "a"}, "config": {"chunkSizes": [0]} | config.chunkSizes: holds 0
                    "expect": {"body": "a"}} | "expect": {"body": "a"}} {}   | expected a JSON object
                    """)
    void whatCannotBeMeantIsAnError(String from, String to, String problem) {
        var line = CASE.replace(from, to);

        assertThat(line).isNotEqualTo(CASE);
        assertThatThrownBy(() -> CaseFile.parse(line))
                .isInstanceOf(InvalidCases.class)
                .hasMessageStartingWith("line 1: ")
                .hasMessageContaining(problem);
    }

    @Test
    void everyProblemOfAFileIsTold() {
        assertThatThrownBy(() -> CaseFile.parse("[]\n" + CASE + CASE + "{\n"))
                .isInstanceOfSatisfying(
                        InvalidCases.class,
                        e ->
                                assertThat(e.problems())
                                        .hasSize(3)
                                        .satisfiesExactly(
                                                first ->
                                                        assertThat(first).contains("line 1: is an"),
                                                second ->
                                                        assertThat(second)
                                                                .contains("line 3: id: 'one'"),
                                                third -> assertThat(third).contains("line 4:")));
    }

    @Test
    void fileWithoutCasesIsAnError() {
        assertThatThrownBy(() -> CaseFile.parse("\n\n")).hasMessageContaining("no case found");
        assertThatThrownBy(() -> CaseFile.read("no-such-file.jsonl"))
                .hasMessageContaining("cannot be read");
    }

    @Test
    void bodiesMayBeGivenInParts() throws InvalidCases {
        var one =
                only(
                        CASE.replace(
                                "\"expect\": {\"body\": \"a\"}",
                                "\"expect\": {\"bodyParts\": [\"é\", {\"repeat\": \"ab\", \"times\": 2}]}"));

        assertThat(one.expect().body()).contains(Content.of("éabab".getBytes(UTF_8)));
    }

    @Test
    void whatMayNotStandInATargetIsEncoded() throws InvalidCases {
        var one = only(CASE.replace("\"path\": \"/\"", "\"path\": \"/a?b=<é> %41[\\\"]\""));

        assertThat(one.request().target()).isEqualTo("/a?b=%3C%C3%A9%3E%20%41%5B%22%5D");
    }

    @Test
    void targetWithItsQueryIsTriedBeforeThePathAndOtherHostsHaveTheirOwn() throws InvalidCases {
        var one =
                only(
                        CASE.replace(
                                "\"/\": {\"body\": \"a\"}",
                                """
                                "/": {"body": "path"}, "/?q": {"body": "query"}, "http://b.test/": {"body": "b"}
                                """
                                        .strip()));

        assertThat(said(one, "example.test", "/?x")).isEqualTo("path");
        assertThat(said(one, "Example.test:80", "/?q")).isEqualTo("query");
        assertThat(said(one, "b.test", "/?q")).isEqualTo("b");
        assertThat(one.answerTo("c.test", "/")).isNull();
        assertThat(one.answerTo("example.test", "/x")).isNull();
    }

    @Test
    void ownSizesReplaceTheUsualOnes() throws InvalidCases {
        var one = only(CASE.replace("\"expect\"", "\"config\": {\"chunkSizes\": [5]}, \"expect\""));

        assertThat(one.runs())
                .isEqualTo(List.of(new Run.Whole(), new Run.Pieces(5), new Run.Hit()));
    }

    @Test
    void settingsBecomeConfiguration() throws InvalidCases {
        var one =
                only(
                        CASE.replace(
                                "\"expect\"",
                                "\"config\": {\"maxDepth\": 3, \"cookieVarDenylist\": [\"a\"]}, \"expect\""));

        assertThat(one.config().yaml()).isEqualTo("{ max-depth: 3, denied-cookies: [\"a\"] }");
    }

    private static String said(Case one, String authority, String target) {
        var answer = one.answerTo(authority, target);
        return answer == null ? "nothing" : answer.body().text();
    }
}
