package dev.quire.core.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Value.Source;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Assignments, collections, copies, the page's own functions: docs/esi.md, Assign to Eval. */
class ScopeTest {

    private static void put(
            TestDocument document, Scope scope, String name, String key, String value) {
        scope.assign(name, document.evaluate(key), document.evaluate(value));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " ~ ",
            quoteCharacter = '`',
            value = {
                "$(list{0})-$(list{2}) ~ red-green",
                "$(list{3}|none) ~ none",
                "$(list{-1}|none) ~ none",
                "$(list{x}|none) ~ none",
                "$(list) ~ red,blue,green",
                "$(dict{'joan'}) $(dict{bob}) ~ 27 34",
                "$(dict{'b'}|'dflt') ~ dflt",
                "$(dict) ~ bob=34&joan=27",
                "$(dict{$(key)}) ~ 27",
                "$(word{0}|none) ~ none",
                "$(empty|none) ~ none",
            })
    void collectionsAreReadByKey(String text, String written) {
        var document =
                TestDocument.plain()
                        .assign("list", "['red', 'blue', 'green']")
                        .assign("dict", "{'bob':34,'joan':27}")
                        .assign("key", "'joan'")
                        .assign("word", "abc")
                        .assign("empty", "[]");

        assertThat(document.written(text)).isEqualTo(written);
    }

    @Test
    void collectionsAreSharedByTheirNames() {
        var document = TestDocument.plain().assign("a", "[1, 2, 3]").assign("b", "$(a)");

        put(document, document.scope, "b", "2", "9");

        assertThat(document.written("$(a{2})")).isEqualTo("9");
    }

    @Test
    void assignmentToAKeyOfANewNameMakesADictionary() {
        var document = TestDocument.plain();

        put(document, document.scope, "new", "'a'", "1");
        put(document, document.scope, "new", "'b'", "2");

        assertThat(document.written("$(new)")).isEqualTo("a=1&b=2");
        assertThat(document.problems).isEmpty();
    }

    @Test
    void listsAreAssignedWhereTheyHaveItemsAndDictionariesAnywhere() {
        var document = TestDocument.plain().assign("list", "[1]").assign("dict", "{}");

        put(document, document.scope, "list", "0", "'x'");
        put(document, document.scope, "dict", "'new'", "'y'");
        assertThat(document.problems).isEmpty();
        put(document, document.scope, "list", "1", "'z'");
        document.assign("text", "'t'");
        put(document, document.scope, "text", "1", "'z'");

        assertThat(document.written("$(list) $(dict) $(text)")).isEqualTo("x new=y t");
        assertThat(document.problems).hasSize(2);
    }

    @Test
    void copiesShareNothingWithTheOriginalNorLoseWhatTheyShareThemselves() {
        var document = TestDocument.plain().assign("a", "[1, [2]]").assign("b", "$(a)");
        put(document, document.scope, "a", "0", "$(a{1})");

        var copy = document.scope.fork();
        copy.assign("x", document.evaluate("1"));
        put(document, copy, "b", "1", "'changed'");

        assertThat(document.written("$(a) [$(x)]")).isEqualTo("2,2 []");
        document.scope.join(copy);
        assertThat(document.written("$(a) $(b) [$(x)]")).isEqualTo("2,changed 2,changed [1]");
    }

    @Test
    void loopsYieldItemsOrPairsInOrder() {
        var document = TestDocument.plain();

        var items = document.scope.items(document.evaluate("[3..1]"));
        var pairs = document.scope.items(document.evaluate("{'a': 0, 'b': 1}"));

        assertThat(items).containsExactly(integer(3), integer(2), integer(1));
        assertThat(pairs)
                .extracting(pair -> Joined.text(pair, document.evaluation).text())
                .containsExactly("a,0", "b,1");
        assertThat(document.scope.items(document.evaluate("'abc'"))).isEmpty();
    }

    @Test
    void keysOfTheRequestAreEscapedInLoopsToo() {
        var document = TestDocument.of("/?x=<i>").assign("d", "{}");
        document.scope.assign("d", document.evaluate("$(QUERY_STRING{x})"), document.evaluate("1"));

        for (var pair : document.scope.items(document.evaluate("$(d)"))) {
            document.scope.assign("item", pair);
        }

        assertThat(document.written("$(item{0})")).isEqualTo("&lt;i&gt;");
    }

    @Test
    void aLoopIsNotChangedByItsBody() {
        var document = TestDocument.plain().assign("list", "[1, 2]");

        var items = document.scope.items(document.evaluate("$(list)"));
        put(document, document.scope, "list", "1", "9");

        assertThat(items).containsExactly(integer(1), integer(2));
    }

    @Test
    void functionsHaveTheirOwnNamesAndSeeThoseOfTheDocument() {
        var document = TestDocument.plain().assign("x", "'outer'").assign("y", "'seen'");
        document.define(
                "f",
                local -> {
                    local.assign("x", new Value.Text("inner", Source.AUTHOR));
                    return local.evaluate(document.read("$(x) + $(y) + $(ARGS{1}) + $(ARGS)"));
                });

        assertThat(document.written("$f('a', 'b') $(x) [$(ARGS)]"))
                .isEqualTo("innerseenba,b outer []");
    }

    @Test
    void functionsHideBuiltInOnes() {
        var document =
                TestDocument.plain()
                        .define("lower", local -> new Value.Text("mine", Source.AUTHOR));

        assertThat(document.written("$lower('A')")).isEqualTo("mine");
    }

    @Test
    void functionsCallThemselvesFiveDeep() {
        var document = TestDocument.plain();
        var body = document.read("$(ARGS{0}) * $factorial($(ARGS{0}) - 1)");
        var ends = document.read("$(ARGS{0}) <= 1");
        document.define(
                "factorial", local -> local.test(ends, null) ? integer(1) : local.evaluate(body));

        assertThat(document.written("$factorial(5)")).isEqualTo("120");
        assertThat(document.problems).isEmpty();
        assertThat(document.written("$factorial(6)")).isEmpty();
        assertThat(document.problems).contains("function calls are nested more than 5 levels deep");
    }

    @Test
    void whatAFunctionAsksOfTheResponseTheDocumentAsks() {
        var document = TestDocument.plain();
        var body = document.read("$add_header('X', 1)");
        document.define("f", local -> local.evaluate(body));

        document.written("$f()");

        assertThat(document.scope.edits().fields()).hasSize(1);
    }

    private static Value integer(long value) {
        return new Value.Int(value, Source.AUTHOR);
    }
}
