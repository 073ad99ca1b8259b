package dev.quire.proxy.lint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageLintTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<p>no ESI at all</p>",
                "<p><esi:include src=\"/a\"/></p>",
                "<p><esi:include src=\"/a\" onerror=\"continue\"/></p>",
                "<ul><esi:include src=\"/items\"/></ul>",
                "<table><tr><td><esi:include src=\"/cell\"/></td></tr></table>",
                "<esi:include src=\"/before\"/><table><tr><td>x</td></tr></table>",
                "<!--esi <p><esi:include src=\"/a\"/></p> -->",
                "<esi:remove><!-- <esi:include src=\"/a\"/> --></esi:remove>",
                "<!-- no tag at all -->",
                "<esi:vars><p>$(QUERY_STRING{q})</p></esi:vars>",
                "<title><esi:vars>$(QUERY_STRING{q})</esi:vars></title>",
                "<a href=\"<esi:include src='/a' escape='html'/>\">",
                "<a href=\"<esi:include src='/a' escape='none'/>\">",
                "<esi:vars escape=\"html\"><a href=\"$(QUERY_STRING{q})\">x</a></esi:vars>",
                "<esi:vars><a href=\"/?q=$url_encode($(QUERY_STRING{q}))\">x</a></esi:vars>",
                "<script>var a = <esi:include src=\"/a\" escape=\"none\"/>;</script>",
                "<script>var a = '<esi:vars escape=\"js\">$(QUERY_STRING{q})</esi:vars>';</script>",
                "<script>var a = $(HTTP_HOST);</script>",
                "<esi:vars><script><esi:text>$(document)</esi:text></script></esi:vars>",
                "<script type=\"text/x-template\"><esi:include src=\"/a\"/></script>",
                "<esi:include src=\"//other.test/a\"/><esi:include src=\"news/a\"/>",
                "<esi:include src=\"/a/../b\"/><esi:include src=\"?a=../b\"/>",
                "<esi:include src=\"http://a.test/\"/><esi:include src=\"http://b.test/\"/>",
                "<esi:include src=\"$(HTTP_HOST):x\"/>",
            })
    void whatIsInOrderIsNotTalkedAbout(String page) {
        assertThat(findings(page)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                // in an attribute
                "<a href=\"<esi:include src='/a'/>\"> ~ 1:10 ~ esi:include is inside the attribute href, where a quote in it would end the value ~ use escape=\"url\" for part of a URL",
                "<p title='<esi:eval src=\"/a\"/>'> ~ 1:11 ~ esi:eval is inside the attribute title ~ use escape=\"html\"",
                "<p onclick=\"<esi:include src='/a'/>\"> ~ 1:13 ~ the attribute onclick ~ use escape=\"js\"",
                "<esi:vars><p id=\"$(QUERY_STRING{q})\"></esi:vars> ~ 1:18 ~ a reference is inside the attribute id ~ use escape=\"html\"",
                "<p id=<esi:include src='/a'/>> ~ 1:7 ~ the attribute id ~ use escape=\"html\"",
                "<p <esi:include src='/a'/>> ~ 1:4 ~ is inside a tag but outside a quoted attribute value ~ move it into an attribute value",
                // in scripts and styles
                "<script>var a = '<esi:include src='/a'/>';</script> ~ 1:18 ~ esi:include is inside <script> ~ use escape=\"js\" inside a string",
                "<script type='application/ld+json'><esi:include src='/a'/></script> ~ 1:36 ~ is inside <script> ~ use escape=\"json\" inside a string",
                "<esi:vars><script>$(document).ready()</script></esi:vars> ~ 1:19 ~ a reference is inside <script> ~ put the script into esi:text",
                "<style>p { <esi:include src='/a'/> }</style> ~ 1:12 ~ is inside <style> ~ include the whole <style>",
                // where tags are not processed, or markup is text
                "<p><!-- <esi:include src='/a'/> --></p> ~ 1:9 ~ an ESI tag is inside an HTML comment, where it is not processed ~ use <!--esi ... -->",
                "<title><esi:include src='/a'/></title> ~ 1:8 ~ is inside <title>, where markup is shown as text ~ use escape=\"html\"",
                "<textarea><esi:include src='/a'/></textarea> ~ 1:11 ~ is inside <textarea> ~ use escape=\"html\"",
                // in tables
                "<table><esi:include src='/a'/><tr><td>1</td></tr></table> ~ 1:8 ~ is in a table but not in a cell ~ put it into a cell",
                "<table><tr><td>1</td></tr><esi:include src='/a'/></table> ~ 1:27 ~ not in a cell ~ put it into a cell",
                "<table><tbody><tr><esi:include src='/a'/><td>1</td></tr></table> ~ 1:19 ~ not in a cell ~ include whole rows or cells",
                // addresses
                "<esi:include src='../a'/> ~ 1:1 ~ src has . or .. segments ~ start it with /",
                "<esi:include src='a/./b'/> ~ 1:1 ~ src has . or .. segments ~ start it with /",
                "<esi:include src='/a' alt='./b'/> ~ 1:1 ~ alt has . or .. segments ~ start it with /",
                "<esi:include src='/a b'/> ~ 1:1 ~ src contains white space ~ write %20",
                "<esi:include src='/a?$(QUERY_STRING) b'/> ~ 1:1 ~ src contains white space ~ write %20",
                "<esi:include src='ftp://a.test/x'/> ~ 1:1 ~ src has an unsupported scheme ~ use http, https",
                "<esi:eval src='javascript:x'/> ~ 1:1 ~ src has an unsupported scheme ~ use http, https",
                // in branches and loops
                "<esi:choose><esi:when test=\"1==1\"><p id='<esi:include src='/a'/>'></esi:when></esi:choose> ~ 1:42 ~ the attribute id ~ use escape=\"html\"",
                "<esi:foreach collection=\"[1,2]\"><p id='$(item)'></esi:foreach> ~ 1:40 ~ a reference is inside the attribute id ~ use escape=\"html\"",
                "<esi:try><esi:attempt><esi:include src='./a'/></esi:attempt></esi:try> ~ 1:23 ~ src has . or .. segments ~ start it with /",
                // from the parser
                "<p><esi:include/></p> ~ 1:4 ~ <esi:include> has no src ~ stripped",
            })
    void whatWillSurpriseIsSaidWithItsPlaceAndWhatToDo(
            String page, String place, String what, String consequence) {
        assertThat(findings(page))
                .singleElement()
                .asString()
                .startsWith(place + ": ")
                .contains(what)
                .contains(consequence);
    }

    @Test
    void placesAreThoseOfThePageWhateverVanishesInFront() {
        var page =
                """
                <esi:remove>
                <a href="<esi:include src="/no"/>">
                </esi:remove><esi:comment text="x"/><!--esi é
                <a href="<esi:include src="/yes"/>"> --><!-- <esi:include src="/a"/> -->
                """;

        assertThat(findings(page))
                .extracting(finding -> finding.line() + ":" + finding.column())
                .containsExactly("4:10", "4:46");
    }

    @Test
    void findingsOfAllKindsStandInTheOrderOfThePage() {
        var page =
                """
                <esi:include src="../a"/>
                <esi:nonsense/>
                <title><esi:include src="/b"/></title>
                <!-- <esi:include src="/c"/> -->
                """;

        assertThat(findings(page)).extracting(Finding::line).containsExactly(1, 2, 3, 4);
    }

    @Test
    void otherSchemeThanThatOfThePageIsSaid() {
        var document =
                new PageDocument(
                        "<esi:include src='http://a.test/'/>".getBytes(UTF_8),
                        PageType.HTML,
                        Optional.of(URI.create("https://a.test/page")),
                        List.of());

        assertThat(PageLint.of(document).findings())
                .singleElement()
                .asString()
                .contains("src uses http but the page uses https");
    }

    @Test
    void secondSchemeOfAFileIsSaidOnce() {
        var page =
                "<esi:include src='https://a.test/'/><esi:include src='https://b.test/'"
                        + " alt='http://a.test/'/>";

        assertThat(findings(page))
                .singleElement()
                .asString()
                .startsWith("1:37: alt uses http but the page uses https");
    }

    @Test
    void placesInTextAndJsonAreNotReadAsHtml() {
        var page = "<a href=\"<esi:include src='/a'/>\">";

        assertThat(findings(page, PageType.TEXT)).isEmpty();
        assertThat(findings(page, PageType.JSON)).isEmpty();
        assertThat(findings(page, PageType.XML)).hasSize(1);
    }

    @Test
    void tagsInStringsOfJsonAreRead() {
        var page = "{\"a\": \"<esi:include src=\\\"../b\\\"/>\"}";

        assertThat(findings(page, PageType.JSON))
                .singleElement()
                .asString()
                .contains("src has . or .. segments");
    }

    @Test
    void summaryCountsWhatIsNotListedToo() {
        var page = "<esi:nonsense/>".repeat(150);

        var lint = lint(page, PageType.HTML);

        assertThat(lint.findings()).hasSize(100);
        assertThat(lint.summary()).isEqualTo("150 findings, not all listed");
        assertThat(lint("<esi:nonsense/>", PageType.HTML).summary()).isEqualTo("1 finding");
        assertThat(lint("", PageType.HTML).summary()).isEqualTo("no findings");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<table><esi:include src='/a'/>",
                "<!-- <esi:include src='/a'/> -->",
                "<a href='<esi:include src='/a'/>'>",
                "<div><esi:include src='/a'/>",
                "<esi:try><esi:attempt>",
                "\uDBC0\uDC00<title>",
                "<"
            })
    void hostilePagesTakeBoundedTime(String part) {
        var page = part.repeat(20_000);

        assertTimeout(Duration.ofSeconds(20), () -> lint(page, PageType.HTML));
    }

    private static List<Finding> findings(String page) {
        return findings(page, PageType.HTML);
    }

    private static List<Finding> findings(String page, PageType type) {
        return lint(page, type).findings();
    }

    private static PageLint lint(String page, PageType type) {
        return PageLint.of(
                new PageDocument(page.getBytes(UTF_8), type, Optional.empty(), List.of()));
    }
}
