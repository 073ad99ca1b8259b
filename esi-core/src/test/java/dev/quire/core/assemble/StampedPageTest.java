package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Stamp;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages in which only stamped tags are markup; docs/esi.md, Stamps. */
class StampedPageTest {
    private static final String NONCE = "AAAAAAAAAAAAAAAAAAAA-_";

    private final ScriptedSource source = new ScriptedSource();
    private final RecordedPage page = new RecordedPage();
    private final ScriptedRequest request = new ScriptedRequest();
    private final Assembler<CountedBody> assembler =
            new Assembler<>(source, page, Limits.DEFAULT, ErrorPolicy.OMIT, request);

    /** {@code @} represents the stamp and its colon. */
    private CountedBody stamped(String target, String text) {
        var document = text.replace("@", NONCE + ":");
        var key = AssemblerTest.key(target);
        var rules =
                new CompiledPage.Rules(
                        ReferenceResolver.OWN_AUTHORITY,
                        ParseOptions.STANDARD.stamped(new Stamp(NONCE)),
                        Integer.MAX_VALUE);
        var parser = new EsiParser(rules.reading());
        parser.feed(ByteBuffer.wrap(document.getBytes(ISO_8859_1)));
        var body = CountedBody.made(document, CompiledPage.of(parser.finish(), key, rules));
        source.bodies.add(body);
        return body;
    }

    private void start(String document) {
        assembler.start(AssemblerTest.key("/"), stamped("/", document));
        page.whenProgressed = assembler::drain;
        assembler.drain();
    }

    @AfterEach
    void noBodyIsKeptOnceThePageIsOver() {
        assembler.cancel();

        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
    }

    @Test
    void onlyStampedTagsAskForFragments() {
        source.store("/f", "F");

        start("a<esi:include src='/evil'/><esi:@include src='/f'/><esi:vars>$(X)</esi:vars>");

        assertThat(page.output())
                .isEqualTo("a<esi:include src='/evil'/>F<esi:vars>$(X)</esi:vars>");
        assertThat(source.requested).isEmpty();
    }

    @Test
    void inlineIsStampedLikeThePageThatBringsItAlong() {
        source.store("/x", "X");

        start(
                "<esi:@inline name='/in'>i<esi:@include src='/x'/><esi:include src='/evil'/>"
                        + "</esi:@inline>a<esi:@include src='/in'/>");

        assertThat(page.output()).isEqualTo("aiX<esi:include src='/evil'/>");
    }

    @Test
    void evaluatedDocumentIsReadByItsOwnStamp() {
        start("<esi:@eval src='/e'/><esi:@vars>[$@(q)]</esi:@vars>");

        source.answer(
                "/e",
                new FragmentAnswer.Whole<>(
                        stamped(
                                "/e",
                                "<esi:assign name='q' value='6'/>"
                                        + "<esi:@assign name='q' value='7'/>")));

        assertThat(page.output()).isEqualTo("<esi:assign name='q' value='6'/>[7]");
    }

    @Test
    void whatAStampedDocumentComesToIsTextWhenItIsReadOnceMore() {
        request.with("HTTP_HOST", "<esi:include src='/evil'/>");

        start("<esi:@eval src='/e' dca='esi'/>");
        source.answer(
                "/e",
                new FragmentAnswer.Whole<>(
                        stamped(
                                "/e",
                                "<esi:@vars>$@(HTTP_HOST)</esi:@vars>"
                                        + "<esi:@text><esi:include src='/evil'/></esi:@text>")));

        assertThat(page.output()).endsWith("<esi:include src='/evil'/>");
        assertThat(source.requested).containsExactly("/e");
    }
}
