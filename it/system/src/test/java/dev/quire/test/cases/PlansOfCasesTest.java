package dev.quire.test.cases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.assemble.CompiledPageBytes;
import dev.quire.core.assemble.ReferenceResolver;
import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.http.Scheme;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The plan of every document in the language cases can be serialized and read back. */
class PlansOfCasesTest {
    private static final CacheKey KEY = new CacheKey(Scheme.HTTP, Case.AUTHORITY, "/page");

    private static final List<ParseOptions> READINGS =
            List.of(
                    ParseOptions.STANDARD,
                    ParseOptions.STANDARD.in(ParseOptions.SourceFormat.JSON),
                    new ParseOptions(
                            ParseOptions.SourceFormat.MARKUP, Dialect.AKAMAI, true, Escape.HTML));

    @TestFactory
    Stream<DynamicTest> cases() throws InvalidCases {
        return CaseFile.read(RepositoryCases.FILE).stream()
                .map(one ->
                        DynamicTest.dynamicTest(
                                one.id(),
                                () -> {
                                    for (var answer : one.origin().values()) {
                                        for (var reading : READINGS) {
                                            check(answer.body().bytes(), reading);
                                        }
                                    }
                                }));
    }

    private static void check(byte[] document, ParseOptions reading) throws Exception {
        var rules =
                new CompiledPage.Rules(
                        new ReferenceResolver(Set.of("other.example.test")), reading, 256);
        var parser = new EsiParser(reading);
        parser.feed(ByteBuffer.wrap(document));
        var parsed = parser.finish().ofTextAlone();
        var page = CompiledPage.of(parsed, KEY, rules);

        var bytes = CompiledPageBytes.write(page);
        var read = CompiledPageBytes.read(bytes, KEY, parsed.textBytes(), rules);

        assertThat(CompiledPageBytes.write(read)).isEqualTo(bytes);
        assertThat(read.heapBytes()).isEqualTo(page.heapBytes());
        assertThat(read.mustBeWhole()).isEqualTo(page.mustBeWhole());
        assertThat(read.inlines()).hasSameSizeAs(page.inlines());
    }
}
