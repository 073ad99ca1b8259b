package dev.quire.core.parse;

import static dev.quire.core.parse.Pages.page;
import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Dialect;
import dev.quire.core.expression.Escape;
import dev.quire.core.parse.ParseOptions.SourceFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * docs/esi.md, Assign to Eval: assignments, loops, functions, eval, and elements without effect.
 */
class ExtendedElementsTest {

    private static Stream<Arguments> pages() {
        return Stream.of(assignments(), loops(), functions(), evals(), stripped())
                .flatMap(each -> each)
                .flatMap(Pages::inPieces);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyElementBecomesItsNode(int piece, String document, String output, int errors) {
        var parsed = parse(document, piece);

        assertThat(parsed.output()).isEqualTo(output);
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
    }

    private static Stream<Arguments> assignments() {
        return Stream.of(
                page("<esi:assign name='n' value='123'/>", "{assign n=123}"),
                page("<esi:assign name='n' value='bar'/>", "{assign n=bar}"),
                page("<esi:assign name='n' value=\"'a' + $(b)\"/>", "{assign n='a' ADD $(b)}"),
                page("<esi:assign name='n' value='Hello $(b)!'/>", "{assign n='Hello $(b)!'}", 1),
                page("<esi:assign name='l{0}' value='1'/>", "{assign l{0}=1}"),
                page("<esi:assign name=\"d{'k'}\" value='1'/>", "{assign d{'k'}=1}"),
                page("<esi:assign name='d{$(k)}' value='1'/>", "{assign d{$(k)}=1}"),
                page("<esi:assign name='d{my-key}' value='1'/>", "{assign d{my-key}=1}"),
                page("a<esi:assign name='1n' value='1'/>b", "ab", 1),
                page("a<esi:assign name='d{' value='1'/>b", "ab", 1),
                page("a<esi:assign name='d{}' value='1'/>b", "ab", 1),
                page("a<esi:assign value='1'/>b", "ab", 1),
                page("a<esi:assign name='n'/>b", "ab", 1),
                page("a<esi:assign name='n' value='1'>b</esi:assign>c", "a{assign n=1}bc", 1),
                page(
                        "<esi:assign name='g'>Hello $(HTTP_HOST)\\$!</esi:assign>$(a)",
                        "{assign g: {literal Hello }{$(HTTP_HOST)}{literal $!}}$(a)"),
                page("<esi:assign name='g'>$(x)</esi:assign>", "{assign g: {$(x)}}"),
                page("<esi:assign name='g'></esi:assign>", "{assign g: }"),
                page(
                        "<esi:assign name='d{k}'>\u00e9</esi:assign>",
                        "{assign d{k}: {literal \u00e9}}"),
                page(
                        "<esi:assign name='g'>a<!-- $(b) -->c<esi:text>$(d)</esi:text></esi:assign>",
                        "{assign g: {literal a}{literal <!-- $(b) -->}{literal c}{literal $(d)}}"),
                page(
                        "<esi:assign name='g'><esi:choose><esi:when test='1'>x $(y)</esi:when></esi:choose></esi:assign>",
                        "{assign g: {choose when 1: {literal x }{$(y)}}}"),
                page(
                        "a<esi:assign name='-'>b<esi:assign name='c' value='1'/></esi:assign>d",
                        "ad",
                        1),
                // elements that are not allowed in a value
                page(
                        "<esi:assign name='g'>a<esi:include src='/f'>b</esi:include>c</esi:assign>",
                        "{assign g: {literal a}{literal b}{literal c}}",
                        1),
                page(
                        "<esi:assign name='g'><esi:inline name='/i'>b</esi:inline><esi:eval src='/f'/></esi:assign>",
                        "{assign g: {literal b}}",
                        2),
                page("<esi:assign name='g'>a$(b)", "{assign g: {literal a}{$(b)}}", 1));
    }

    private static Stream<Arguments> loops() {
        return Stream.of(
                page(
                        "<esi:foreach item='x' collection=\"['a','b']\">$(x),</esi:foreach>",
                        "{foreach x of ['a', 'b']: {$(x)},}"),
                page(
                        "<esi:foreach collection='[1..3]'>$(item)<esi:break/></esi:foreach>",
                        "{foreach item of [1..3]: {$(item)}{break}}"),
                page(
                        "<esi:foreach collection='$(l)' item='a b'>x</esi:foreach>",
                        "{foreach item of $(l): x}",
                        1),
                page("a<esi:foreach>b</esi:foreach>c", "ac", 1),
                page("a<esi:foreach collection='['>b</esi:foreach>c", "ac", 1),
                page("a<esi:break/>b", "ab", 1),
                page(
                        "<esi:foreach collection='$(l)'><esi:break>a</esi:break>b</esi:foreach>",
                        "{foreach item of $(l): {break}ab}",
                        1),
                page(
                        "<esi:foreach collection='$(l)'><esi:choose><esi:when test='1'><esi:break/></esi:when></esi:choose></esi:foreach>",
                        "{foreach item of $(l): {choose when 1: {break}}}"),
                page(
                        "<esi:foreach collection='$(l)'><esi:assign name='a'>b<esi:break/></esi:assign></esi:foreach>",
                        "{foreach item of $(l): {assign a: {literal b}}}",
                        1));
    }

    private static Stream<Arguments> functions() {
        return Stream.of(
                page(
                        "<esi:function name='f'>a<esi:return value='$(ARGS{0}) + 1'/></esi:function>",
                        "{function f: {literal a}{return $(ARGS{0}) ADD 1}}"),
                page(
                        "<esi:vars>$f(1)</esi:vars><esi:function name='f'>$f(2)</esi:function><esi:vars>$f(3)</esi:vars>",
                        "$f(1){function f: {$f(2)}}{$f(3)}"),
                page(
                        "<esi:function name='f'/><esi:include src='/a?$f()'/>",
                        "{function f: }[/a?$f()]"),
                page("a<esi:function name='1'>b</esi:function>c", "ac", 1),
                page("a<esi:return value='1'/>b", "ab", 1),
                page(
                        "<esi:function name='f'><esi:return/></esi:function>",
                        "{function f: {return null}}",
                        1),
                page(
                        "<esi:function name='f'><esi:function name='g'>a</esi:function>"
                                + "<esi:include src='/i'/>b</esi:function>",
                        "{function f: {literal a}{literal b}}",
                        2),
                page(
                        "<esi:function name='f'><esi:assign name='a'><esi:return value='1'/></esi:assign></esi:function>",
                        "{function f: {assign a: }}",
                        1),
                page(
                        "<esi:function name='f'><esi:foreach collection='$(ARGS)'><esi:return value='1'/></esi:foreach></esi:function>",
                        "{function f: {foreach item of $(ARGS): {return 1}}}"),
                page(
                        "<esi:foreach collection='$(l)'><esi:function name='f'><esi:break/></esi:function></esi:foreach>",
                        "{foreach item of $(l): {function f: }}",
                        1));
    }

    private static Stream<Arguments> evals() {
        return Stream.of(
                page("a<esi:eval src='/f'/>b", "a{eval /f|dca ESI}b"),
                page("<esi:eval src='/f?$(a)' dca='none'/>", "{eval /f?$(a)|dca ESI}"),
                page("<esi:eval src='/f' dca='esi'/>", "{eval /f|dca ESI|own}"),
                page(
                        "a<esi:eval src='/f' maxwait='5'> <esi:param name='a' value='b'/> </esi:eval>c",
                        "a{eval /f|param a=b|timeout PT0.005S|dca ESI}c"),
                page("a<esi:eval src='/f'>b", "a{eval /f|dca ESI}b"),
                page("a<esi:eval/>b", "ab", 1),
                page("a<esi:eval src='/f' src='/g'/>b", "ab", 1),
                page("<esi:eval src='/f' alt='/g' select='p'/>", "{eval /f|dca ESI}", 2));
    }

    private static Stream<Arguments> stripped() {
        return Stream.of(
                page("a<esi:debug/>b", "ab", 1),
                page("a<esi:debug>b</esi:debug>c", "abc", 2),
                page("a<esi:environment src='/e' name='x'/>b", "ab", 1),
                page("a<esi:redirect/><esi:cookie/><esi:special-include handler='x'/>b", "ab", 3),
                page("a<esi:log>b<esi:include src='/f'/></esi:log>c", "ac", 1),
                page("a<esi:invalidate><?xml?><X/></esi:invalidate>c", "ac", 1),
                page("a<esi:log/>b", "ab", 1),
                page("a<esi:include src='/f'><esi:log>m</esi:log> </esi:include>b", "a[/f]b", 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, 1, 2, 3, 7, 16})
    void theReadingDecidesAboutBackslashesCommentsAndEscapes(int piece) {
        var reading = new ParseOptions(SourceFormat.MARKUP, Dialect.AKAMAI, true, Escape.NONE);

        var parsed = parse("<!-- <esi:vars>\\a$(b)</esi:vars> -->\\c", piece, reading);

        assertThat(parsed.output()).isEqualTo("<!-- a{$(b)|NONE} -->\\c");
    }
}
