package dev.quire.test.cases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The runner reports failures. The pages have no tags, because only the runner is tested. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HonestyIT {
    private static final String CASE =
            """
            {"id": "one",
             "origin": {"/": {"headers": {"Content-Type": "text/html", "X-A": "1", "Vary": "A, B", "Cache-Control": "max-age=60, no-transform"}, "body": "some text"},
                        "/none": {"headers": {"Cache-Control": "no-store"}, "body": "not stored"}},
             "request": {"path": "/?a=1&b=2", "headers": {"X-Ask": "yes"}},
             "expect": %s}
            """;

    private final CaseRunner runner = new CaseRunner(new ProxySubject());

    @AfterAll
    void stop() {
        runner.close();
    }

    private Outcome run(String expect) throws InvalidCases {
        return runCase(CASE.formatted(expect));
    }

    private Outcome runCase(String json) throws InvalidCases {
        var one = CaseFile.parse(json.replace("\n", "")).getFirst();
        return runner.run(one, one.runs());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'status': 200, 'body': 'some text'}",
                "{'bodyBase64': 'c29tZSB0ZXh0'}",
                "{'contains': ['some', 'text'], 'absent': 'other'}",
                "{'headers': {'x-a': '1', 'vary': 'b, a'}, 'headersContain': {'content-type': 'html'}}",
                "{'headersNot': {'vary': 'C', 'x-a': '2'}, 'absentHeaders': ['x-b']}",
                "{'upstream': [{'path': '/', 'method': 'GET', 'headers': {'x-ask': 'yes'}}]}",
                "{'upstream': [{'path': '/?a=1&b=2', 'headersMatch': {'x-ask': '^y.s$'}}]}",
                "{'upstream': [{'path': 'http://example.test/', 'absentHeaders': ['x-b'], 'absentQuery': ['c']}]}",
                "{'notRequested': ['/x', '/?a=1', 'http://other.test/'], 'cached': ['/']}",
            })
    void whatIsAsExpectedPasses(String expect) throws InvalidCases {
        var outcome = run(expect.replace('\'', '"'));

        assertThat(outcome.failures()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    {'status': 201}                             | status: expected 201, found 200
                    {'body': 'some texts'}                      | body differs from byte 9 on
                    {'body': ''}                                | body differs from byte 0 on
                    {'bodyBase64': 'c29tZSB0ZXg='}              | body differs from byte 8 on
                    {'bodyParts': ['some', 'text']}             | body differs from byte 4 on
                    {'contains': 'other'}                       | body: expected "other" in it
                    {'absent': ['other', 'text']}               | body: expected no "text" in it, found it at 5
                    {'headers': {'x-a': '2'}}                   | field x-a: expected "2", found "1"
                    {'headers': {'x-b': ''}}                    | field x-b: expected "", found none
                    {'headers': {'vary': 'a'}}                  | field vary: expected "a", found "A, B"
                    {'headersContain': {'content-type': 'xml'}} | field content-type: expected a value with "xml"
                    {'headersNot': {'x-a': '1'}}                | field x-a: expected anything but "1"
                    {'headersNot': {'vary': 'a'}}               | field vary: expected anything but "a"
                    {'absentHeaders': ['x-a']}                  | field x-a: expected no such field, found "1"
                    {'upstream': [{'path': '/x'}]}              | the origin: expected a request for /x
                    {'upstream': [{'path': 'http://b.test/'}]}  | the origin: expected a request for http://b.test/
                    {'upstream': [{'path': '/', 'method': 'PUT'}]}  | expected PUT
                    {'upstream': [{'path': '/', 'headers': {'x-ask': 'no'}}]} | field x-ask: expected "no", found "yes"
                    {'upstream': [{'path': '/', 'headersContain': {'x-ask': 'no'}}]} | field x-ask
                    {'upstream': [{'path': '/', 'headersMatch': {'x-ask': '^e'}}]} | field x-ask
                    {'upstream': [{'path': '/', 'absentHeaders': ['x-ask']}]} | field x-ask: expected no such field
                    {'upstream': [{'path': '/', 'absentQuery': ['b']}]} | expected no argument b
                    {'upstream': [{'path': '/', 'body': 'a'}]}  | body differs from byte 0 on
                    {'notRequested': ['/']}                     | the origin: expected no request for /,
                    {'notRequested': ['http://example.test/?a=1&b=2']} | the origin: expected no request for http://example.test/?a=1&b=2,
                    """)
    void whatIsNotAsExpectedFailsInEveryRun(String expect, String difference) throws InvalidCases {
        var outcome = run(expect.replace('\'', '"'));

        assertThat(outcome.failures())
                .anySatisfy(failure -> assertThat(failure.difference()).contains(difference));
        assertThat(outcome.failures().getFirst().runs()).containsAll(outcome.runs().subList(0, 6));
    }

    @Test
    void beingAskedForAgainFailsTheHitRunAlone() throws InvalidCases {
        var outcome =
                runCase(
                        CASE.formatted("{\"body\": \"not stored\", \"cached\": [\"/none\"]}")
                                .replace("/?a=1&b=2", "/none"));

        assertThat(outcome.failures())
                .singleElement()
                .isEqualTo(
                        new Outcome.Failure(
                                List.of(new Run.Hit()),
                                "the origin: expected not to be asked again for /none, found GET /none at example.test"));
    }

    @Test
    void configurationThatIsNotTakenFailsTheCase() throws InvalidCases {
        var outcome =
                runCase(
                        CASE.formatted(
                                "{\"status\": 200}, \"config\": {\"maxDepth\": 3, \"deviceToken\": \"a b\"}"));

        assertThat(outcome.failures())
                .singleElement()
                .satisfies(failure -> {
                    assertThat(failure.runs()).isEqualTo(outcome.runs());
                    assertThat(failure.difference()).contains("esi.device-token: ");
                });
    }

    @Test
    void answerThatBreaksOffFailsTheCase() throws InvalidCases {
        var outcome =
                runCase(
                        CASE.formatted("{\"contains\": \"some\"}")
                                .replace(
                                        "\"some text\"}",
                                        "\"some text\", \"fault\": \"content-length-100-then-close\"}"));

        assertThat(outcome.failures()).isNotEmpty();
        assertThat(outcome.report())
                .startsWith("FAILED one, line 1\n  in every run\n")
                .contains("the connection ended");
    }

    @Test
    void commandTellsWhatFailedAndCounts(@TempDir Path folder) throws IOException {
        var right = CASE.formatted("{\"body\": \"some text\"}").replace("\n", "");
        var wrong = CASE.formatted("{\"body\": \"no text\"}").replace("\n", "");
        var file = folder.resolve("cases.jsonl");
        Files.writeString(file, right + "\n" + wrong.replace("\"one\"", "\"two\"") + "\n");

        var all = command(file.toString());
        var one = command(file.toString(), "one");
        var three = command(file.toString(), "three");

        assertThat(all.status()).isEqualTo(1);
        assertThat(all.out())
                .startsWith("FAILED two, line 2\n  in every run\n    body differs from byte 0 on\n")
                .endsWith("\n1 passed, 1 failed\n");
        assertThat(one).isEqualTo(new Command(0, "1 passed, 0 failed\n", ""));
        assertThat(three).isEqualTo(new Command(2, "", file + ": it has no case 'three'\n"));
    }

    @Test
    void commandRunsNothingOfAFileItDoesNotUnderstand(@TempDir Path folder) throws IOException {
        var file = folder.resolve("cases.jsonl");
        Files.writeString(
                file,
                CASE.formatted("{\"body\": \"some text\", \"bodyMatches\": \"s\"}")
                        .replace("\n", ""));

        var command = command(file.toString());

        assertThat(command.status()).isEqualTo(2);
        assertThat(command.out()).isEmpty();
        assertThat(command.err())
                .startsWith(file + ": line 1: expect.bodyMatches: is not a known key (expected");
        assertThat(command().status()).isEqualTo(2);
    }

    private record Command(int status, String out, String err) {}

    private static Command command(String... arguments) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                Conformance.run(
                        arguments,
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8));
        return new Command(status, out.toString(UTF_8), err.toString(UTF_8));
    }
}
