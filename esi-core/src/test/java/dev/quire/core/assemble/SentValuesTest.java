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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<esi:assign name='v' value=\"$(HTTP_COOKIE) == 'a'\"/>",
                "<esi:assign name='v' value='!$(HTTP_COOKIE)'/>",
                "<esi:assign name='v' value=\"$exists($(HTTP_COOKIE))\"/>",
                "<esi:assign name='v' value=\"$(HTTP_COOKIE) & 'x'\"/>",
                "<esi:assign name='v' value=\"[1, $(HTTP_COOKIE) matches 'a']\"/>",
                "<esi:assign name='v' value=\"$(HTTP_NONE|'x')\"/>",
                "<esi:choose><esi:when test=\"$(HTTP_COOKIE)=='a'\"><esi:assign name='v'"
                        + " value=\"'x'\"/></esi:when></esi:choose>",
                "<esi:choose><esi:when test=\"$(HTTP_COOKIE)=='b'\"></esi:when><esi:otherwise>"
                        + "<esi:assign name='v' value='1'/></esi:otherwise></esi:choose>",
                "<esi:choose><esi:when test='$(HTTP_COOKIE)'><esi:try><esi:attempt><esi:assign"
                        + " name='v' value='1.5'/></esi:attempt></esi:try></esi:when></esi:choose>",
                "<esi:choose><esi:when test='$(HTTP_COOKIE)'><esi:choose><esi:when test='1'>"
                        + "<esi:assign name='v' value='true'/></esi:when></esi:choose></esi:when>"
                        + "</esi:choose>",
                "<esi:assign name='b' value=\"$(HTTP_COOKIE) == 'a'\"/><esi:choose><esi:when"
                        + " test='$(b)'><esi:assign name='v' value='1'/></esi:when></esi:choose>",
                "<esi:assign name='b' value='$(HTTP_NONE)'/><esi:choose><esi:when test='!$(b)'>"
                        + "<esi:assign name='v' value='1'/></esi:when></esi:choose>",
                "<esi:assign name='v'><esi:choose><esi:when test='$(HTTP_COOKIE)'>x</esi:when>"
                        + "</esi:choose></esi:assign>",
                "<esi:function name='f'><esi:choose><esi:when test='$(ARGS{0})'><esi:return"
                        + " value='1'/></esi:when></esi:choose></esi:function>"
                        + "<esi:assign name='v' value='$f($(HTTP_COOKIE))'/>",
                "<esi:foreach collection=\"$string_split($(HTTP_COOKIE), '')\"><esi:assign name='v'"
                        + " value='1'/></esi:foreach>",
                "<esi:foreach collection='[1..2]'><esi:choose><esi:when test='$(HTTP_NONE)'>"
                        + "<esi:break/></esi:when></esi:choose><esi:assign name='v' value='1'/>"
                        + "</esi:foreach>",
                "<esi:assign name='v' value=\"['x']\"/><esi:choose><esi:when"
                        + " test='$(HTTP_COOKIE)'><esi:assign name='v{0}' value='1'/></esi:when>"
                        + "</esi:choose>",
                "<esi:assign name='v' value=\"[1] * $int($(HTTP_NUMBER))\"/>",
            })
    void valueThatDependsOnTheClientIsOfTheClient(String assignment) {
        request.with("HTTP_COOKIE", "a", Source.CLIENT)
                .with("HTTP_NONE", "", Source.CLIENT)
                .with("HTTP_NUMBER", "2", Source.CLIENT);

        start(
                assignment
                        + "<esi:include src='/own' setheader='X-A: v$(v)'/>"
                        + "<esi:include src='/fixed' setheader='X-A: b'/>"
                        + "<esi:include src='http://other.test/x?$(v)'/>"
                        + "<esi:include src='http://other.test/y' setheader='X-A: v$(v)'/>");

        assertThat(source.requested).containsExactly("/own", "/fixed", "/x?", "/y");
        assertThat(source.requests.getFirst().terms().fieldsFromReader()).containsExactly("x-a");
        assertThat(source.requests.get(1).terms().fieldsFromReader()).isEmpty();
        assertThat(source.requests.getLast().terms().fields()).isEmpty();
    }

    @Test
    void valueOfTheAuthorStaysTheAuthors() {
        request.with("HTTP_COOKIE", "a", Source.CLIENT);

        start(
                "<esi:assign name='d' value=\"{'mine': 1 == 1, 'theirs': $(HTTP_COOKIE) == 'a'}\"/>"
                        + "<esi:choose><esi:when test=\"$(HTTP_COOKIE)=='a'\">x</esi:when></esi:choose>"
                        + "<esi:assign name='v' value='$(d{mine})'/>"
                        + "<esi:include src='http://other.test/y?$(v)' setheader='X-A: $(v)'/>");

        assertThat(source.requested).containsExactly("/y?true");
        assertThat(source.requests.getFirst().terms().fieldsFromReader()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<esi:choose><esi:when test=\"$(QUERY_STRING)=='q'\">%s</esi:when></esi:choose>",
                "<esi:choose><esi:when test=\"$(QUERY_STRING)=='p'\"/><esi:otherwise>%s"
                        + "</esi:otherwise></esi:choose>",
                "<esi:choose><esi:when test='$(QUERY_STRING)'><esi:try><esi:attempt>%s</esi:attempt>"
                        + "</esi:try></esi:when></esi:choose>",
                "<esi:choose><esi:when test='$(QUERY_STRING)'><esi:fragment name='r'>%s"
                        + "</esi:fragment></esi:when></esi:choose>",
                "<esi:foreach collection=\"$string_split($(QUERY_STRING), '-')\">%s</esi:foreach>",
            })
    void editThatTheRequestSelectsIsOfTheReader(String branch) {
        request.with("QUERY_STRING", "q");

        start(branch.formatted("<esi:include src='/own' setheader='X-A: b'/>"));

        assertThat(source.requests.getFirst().terms().fieldsFromReader()).containsExactly("x-a");
    }

    @Test
    void textOfTheAuthorThatTheRequestSelectsMayHaveDotSegments() {
        request.with("QUERY_STRING", "q");

        start(
                "<esi:choose><esi:when test='$(QUERY_STRING)'><esi:assign name='p'"
                        + " value=\"'/a/../de'\"/></esi:when></esi:choose>"
                        + "<esi:include src='$(p)/nav'/>");

        assertThat(source.requested).containsExactly("/de/nav");
    }

    @Test
    void existenceOfASecretCountsAsTheClients() {
        request.with("HTTP_COOKIE", "S3cr3t", Source.SECRET);

        start(
                "<esi:choose><esi:when test='$(HTTP_COOKIE)'><esi:assign name='v'"
                        + " value=\"'member'\"/></esi:when></esi:choose><esi:vars>$(v)</esi:vars>"
                        + "<esi:include src='/own' setheader='X-A: $(v)'/>");

        assertThat(page.output()).isEqualTo("member");
        assertThat(page.problems).isEmpty();
        assertThat(source.requests.getFirst().terms().fieldsFromReader()).containsExactly("x-a");
    }
}
