package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.parse.ParseOptions;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of the client's request that an include sends to origins, by their source. */
class SentValuesTest {
    private static final CompiledPage.Rules RULES =
            new CompiledPage.Rules(
                    new ReferenceResolver(Set.of("other.test")), ParseOptions.STANDARD, 256);

    private static final Failure GONE = new Failure(Side.ORIGIN, Kind.STATUS, 404, "404");

    private final ScriptedSource source = new ScriptedSource();
    private final RecordedPage page = new RecordedPage();
    private final ScriptedRequest request = new ScriptedRequest();

    private void start(String document) {
        var key = AssemblerTest.key("/");
        var compiled = CompiledPage.of(document.getBytes(StandardCharsets.US_ASCII), key, RULES);
        var assembler = new Assembler<>(source, page, Limits.DEFAULT, ErrorPolicy.OMIT, request);
        assembler.start(key, CountedBody.made(document, compiled));
        page.whenProgressed = assembler::drain;
        assembler.drain();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src='/f?$(HTTP_COOKIE)'",
                "src='/gone' alt='/f?$(HTTP_COOKIE)'",
                "src='/f?' setheader='X-A: $(HTTP_COOKIE)'",
                "src='/f?' appendheader='$(HTTP_COOKIE): a'",
                "src='/f?' removeheader='$(HTTP_COOKIE)'",
                "src='/f?' method='POST' entity='a=$(HTTP_COOKIE)'",
                "src='/f?' setheader='X-A: $(copy)'",
                "src='/f?' setheader='X-A: $(all{0})'",
            })
    void secretIsSentInNoAttributeToThePagesOwnHost(String attributes) {
        request.with("HTTP_COOKIE", "S3cr3t", Source.SECRET);

        start(
                "<esi:assign name='copy' value='$(HTTP_COOKIE)'/>"
                        + "<esi:assign name='all' value='[$(HTTP_COOKIE)]'/>"
                        + "<esi:include "
                        + attributes
                        + "/>");
        if (source.requested.contains("/gone")) {
            source.fail("/gone", GONE);
        }

        assertThat(source.requests.toString()).isNotEqualTo("[]").doesNotContain("S3cr3t");
        assertThat(page.problems).first().asString().contains("denied cookie");
    }

    @Test
    void secretIsNotAParameterOfAnInclude() {
        request.with("HTTP_COOKIE", "S3cr3t", Source.SECRET).with("QUERY_STRING", "q");

        start(
                "<esi:include src='/f'><esi:param name='a' value='$(HTTP_COOKIE)'/>"
                        + "<esi:param name='b' value='$(QUERY_STRING)'/></esi:include>");

        assertThat(source.requested).containsExactly("/f?a=&b=q");
        assertThat(page.problems).hasSize(1);
    }
}
