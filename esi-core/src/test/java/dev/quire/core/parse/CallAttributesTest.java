package dev.quire.core.parse;

import static dev.quire.core.parse.Pages.page;
import static dev.quire.core.parse.ParsedText.parse;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/esi.md, Include: every attribute and child of an include. */
class CallAttributesTest {

    /** Attributes after src, the parsed include, and the diagnostics. */
    private static Stream<Arguments> attributes() {
        return Stream.of(
                page("alt='/g?$(QUERY_STRING)'", "|/g?$(QUERY_STRING)"),
                page("onerror='fail'", "|FAIL"),
                page("onerror='abort'", "", 1),
                page("primary='true'", "|primary"),
                page("primary='false'", ""),
                page("primary='1'", "", 1),
                page("ttl='5m'", "|ttl PT5M"),
                page("ttl='0s'", "|ttl PT0S"),
                page("ttl='2h'", "|ttl PT2H"),
                page("ttl='1d'", "|ttl PT24H"),
                page("ttl='99999999d'", "|ttl PT596523H14M7S"),
                page("ttl='5'", "", 1),
                page("ttl='m'", "", 1),
                page("ttl=''", "", 1),
                page("ttl='-5m'", "", 1),
                page("ttl='99999999999999999999s'", "", 1),
                page("max-age='300'", "|ttl PT5M"),
                page("max-age='300+60'", "|ttl PT5M|stale PT1M"),
                page("max-age='infinity'", "|ttl PT596523H14M7S"),
                page("max-age='300+'", "", 1),
                page("max-age='a'", "", 1),
                page("ttl='1s' max-age='300'", "|ttl PT1S", 1),
                page("no-store='on'", "|no-store"),
                page("no-store='off'", ""),
                page("no-store='yes'", "", 1),
                page("maxwait='100'", "|timeout PT0.1S"),
                page("maxwait='0'", "", 1),
                page("timeout='60'", "|timeout PT1M"),
                page("timeout='60' maxwait='5'", "|timeout PT0.005S", 1),
                page("redirect='no'", "|no redirects"),
                page("redirect='yes'", ""),
                page("method='GET'", ""),
                page("method='POST' entity=\"'a=1'\"", "|POST|body 'a=1'"),
                page("method='PUT'", "", 1),
                page("entity='a=$(b)&amp;c=2026-01-02'", "|body a=$(b)&c=2026-01-02"),
                page("entity='2026-01-02'", "|body 2026-01-02"),
                page("entity=\"$(a) + '-'\"", "|body $(a) ADD '-'"),
                page("entity='$(a)-$(b)'", "|body $(a)-$(b)"),
                page("setheader='X-A: b'", "|=X-A: b"),
                page(
                        "setheader1='A: $(b)' appendheader='C: d' removeheader='E' setheaders='F: g' setheader='H: i' setheader='J: k'",
                        "|=A: $(b)|+C: d|-E|=F: g|=H: i|=J: k"),
                page("setheader=\"'X: ' + $(a)\"", "|='X: ' ADD $(a)"),
                page("setheader='X'", "", 1),
                page("setheaderx='X: y'", ""),
                page("removeheader=''", "", 1),
                page("dca='esi'", "|dca ESI"),
                page("dca='none'", "|dca NONE"),
                page("dca='noop'", "", 1),
                page("fragment='r' select='#main > p'", "|region r|select #main > p"),
                page("fragment='' select=''", "", 2),
                page("escape='html'", "|escape HTML"),
                page("escape='json'", "|escape JSON"),
                page("escape='js'", "|escape JS"),
                page("escape='url'", "|escape URL"),
                page("escape='none'", "|escape NONE"),
                page("escape='HTML'", "", 1),
                page(
                        "xpath='/a' stylesheet='s' rewriteabsoluteurl='y' noparse='y' cache-control='private' combine='sub' as-var='1' nonce='n'",
                        "",
                        8),
                page("data-x='1' sr='/g' x:y='2'", ""));
    }

    @ParameterizedTest
    @MethodSource("attributes")
    void anAttributeIsReadOrIgnoredWithAReason(String attributes, String said, int errors) {
        var parsed = parse("<esi:include src='/f?a=$(b)' " + attributes + "/>", 16);

        assertThat(parsed.output()).isEqualTo("[/f?a=$(b)" + said + "]");
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
    }

    /** Content between the tags of an include. */
    private static Stream<Arguments> children() {
        return Stream.of(
                        page(
                                "<esi:param name='id' value='7'/> <esi:param name='fmt' value=\"'json'\"/>",
                                "|param id=7|param fmt='json'"),
                        page("<esi:param name='$(a)' value='x-$(b)'/>", "|param $(a)=x-$(b)"),
                        page("<esi:param value='7'/>", "", 1),
                        page("<esi:param name='a'/>", "|param a="),
                        page("<esi:param name='a' value='b'>", "|param a=b", 1),
                        page("<esi:request_header name='A' value='b $(c)'/>", "|=A: b $(c)"),
                        page("<esi:request_header value='b'/>", "", 1),
                        page("<esi:request_body value='a=$(b)'/>", "|POST|body a=$(b)"),
                        page(
                                "<esi:request_body value='a'/><esi:request_body value='b'/>",
                                "|POST|body a",
                                1))
                .flatMap(Pages::inPieces);
    }

    @ParameterizedTest
    @MethodSource("children")
    void aChildIsReadOrStripped(int piece, String children, String said, int errors) {
        var parsed = parse("<esi:include src='/f'> " + children + "\n</esi:include>z", piece);

        assertThat(parsed.output()).isEqualTo("[/f" + said + "]z");
        assertThat(parsed.page().errors()).as(parsed.diagnostics()).isEqualTo(errors);
    }
}
