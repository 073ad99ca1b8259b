package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.ResponseEdits.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code $add_header}, {@code $set_response_code}, {@code $set_redirect}: docs/esi.md, Functions.
 */
class ResponseFunctionsTest {

    @Test
    void fieldsAreAddedInOrderAndWriteNothing() {
        var document = TestDocument.plain();

        var written = document.written("a$add_header('X-A', ' 1 ')$add_header('X-A', 2)b");

        assertThat(written).isEqualTo("ab");
        assertThat(document.scope.edits())
                .isEqualTo(
                        new ResponseEdits(
                                0, List.of(new Field("X-A", "1"), new Field("X-A", "2")), null));
    }

    @Test
    void aStatusMayBringABody() {
        var document = TestDocument.of("/?q=<i>");

        document.written("$set_response_code(404, 'oops ' + $(QUERY_STRING{q}))");

        assertThat(document.scope.edits())
                .isEqualTo(new ResponseEdits(404, List.of(), "oops &lt;i&gt;"));
    }

    @Test
    void aStatusWithoutContentHasAnEmptyBody() {
        var document = TestDocument.plain();

        document.written("$set_response_code(204, 'x')");

        assertThat(document.scope.edits().body()).isEmpty();
    }

    @Test
    void theLastRedirectCounts() {
        var document = TestDocument.of("/?u=/x y");

        document.written("$add_header('X', 1)$set_redirect('/a')$set_redirect($(QUERY_STRING{u}))");

        assertThat(document.scope.edits())
                .isEqualTo(
                        new ResponseEdits(
                                302,
                                List.of(new Field("X", "1"), new Field("Location", "/x%20y")),
                                null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$add_header('X-A', $(QUERY_STRING{v}))",
                "$add_header('X A', '1')",
                "$add_header('', '1')",
                "$add_header('X:', '1')",
                "$add_header('Content-Length', '1')",
                "$add_header('transfer-encoding', 'chunked')",
                "$add_header('Connection', 'close')",
                "$add_header('Surrogate-Control', 'x')",
                "$add_header('Via', '1.1 x')",
                "$add_header('ETag', 'x')",
                "$add_header('Accept-Ranges', 'bytes')",
                "$add_header('Content-Digest', 'x')",
                "$add_header('CDN-Cache-Control', 'max-age=9')",
                "$add_header('Esi-Variant', 'x')",
                "$add_header('X-ESI-Errors', '0')",
                "$add_header('X-A', 'a\tb')",
                "$add_header('X-A', $(HTTP_COOKIE{JSESSIONID}))",
                "$add_header('X-A', 'a' * 9000)",
                "$add_header('X-A', $(wide))",
                "$set_redirect($(QUERY_STRING{v}))",
                "$set_redirect('')",
                "$set_redirect($(HTTP_COOKIE{JSESSIONID}))",
                "$set_response_code(100)",
                "$set_response_code(205)",
                "$set_response_code(206)",
                "$set_response_code(304)",
                "$set_response_code(416)",
                "$set_response_code(600)",
                "$set_response_code(4294967696)",
                "$set_response_code('x')",
            })
    void whatCouldSplitOrBreakTheResponseIsDroppedAndTold(String text) {
        var rules =
                new VariableRules(List.of("JSESSIONID"), true, Optional.empty(), Map.of(), true);
        var document = TestDocument.of(rules, "/?v=a%0d%0aX-Evil:%201", "Cookie", "JSESSIONID=s");
        document.scope.assign("wide", new Value.Text("\u010d", Value.Source.AUTHOR));

        assertThat(document.written(text)).isEmpty();

        assertThat(document.scope.edits()).isEqualTo(ResponseEdits.NONE);
        assertThat(document.problems).hasSize(1);
    }

    @Test
    void fieldsAreBounded() {
        var document = TestDocument.plain();

        document.written("$add_header('X', 1)".repeat(100));

        assertThat(document.scope.edits().fields()).hasSize(64);
    }

    @Test
    void whatAnAbandonedCopyAskedForIsForgotten() {
        var document = TestDocument.plain();
        var abandoned = document.scope.fork();
        var joined = document.scope.fork();

        abandoned.evaluate(document.read("$add_header('X', 1)"));
        joined.evaluate(document.read("$add_header('X', 2)"));
        document.scope.join(joined);

        assertThat(document.scope.edits().fields()).containsExactly(new Field("X", "2"));
    }

    @Test
    void statusWithoutContentThatIsTakenBackTakesNoContentAway() {
        var document = TestDocument.of("/");

        document.written("$set_response_code(204)$set_response_code(200)");

        assertThat(document.scope.edits().status()).isEqualTo(200);
        assertThat(document.scope.edits().body()).isNull();
    }
}
