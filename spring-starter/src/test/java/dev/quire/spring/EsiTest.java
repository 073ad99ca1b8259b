package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.settings.StampProperties;
import dev.quire.spring.internal.stamp.Placeholder;
import dev.quire.spring.internal.stamp.TagWriter;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class EsiTest {

    private static final String SECRET = "abcdefghijklmnopqrst-_";

    private final MockHttpServletRequest request = new MockHttpServletRequest();
    private final GuardedExchange exchange = new GuardedExchange(true, false, false);

    @BeforeEach
    void answerARequest() {
        TagWriter.begin(request, Placeholder.OFF, exchange::tagWritten);
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(request));
    }

    @AfterEach
    void answerNone() {
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void everyPartOfAnIncludeIsEscaped() {
        var include =
                Esi.include("/live?a=1&b=\"><script>'").alt("/spare?<&>").onError(OnError.CONTINUE);

        assertThat(include.toHtml())
                .isEqualTo(
                        "<esi:include src=\"/live?a=1&amp;b=&quot;&gt;&lt;script&gt;&apos;\" alt=\"/spare?&lt;&amp;&gt;\" onerror=\"continue\"/>");
    }

    @Test
    void anIncludeMayFailThePageAndHasItsTime() {
        assertThat(
                        Esi.include("/live")
                                .onError(OnError.FAIL)
                                .timeout(Duration.ofMillis(1500))
                                .toHtml())
                .isEqualTo("<esi:include src=\"/live\" onerror=\"fail\" maxwait=\"1500\"/>");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.include("/live").timeout(Duration.ZERO))
                .withMessageContaining("expected 1 ms or more");
    }

    @Test
    void parametersAreEncodedAndNeverReferences() {
        assertThat(
                        Esi.include("/live?a=$(HTTP_COOKIE)#x")
                                .param("q", "서울 $url_encode(1)&x=\"/'")
                                .param("n", 1)
                                .src())
                .isEqualTo(
                        "/live?a=%24(HTTP_COOKIE)&q=%EC%84%9C%EC%9A%B8%20%24url_encode%281%29%26x%3D%22%2F%27&n=1");
        assertThat(Esi.include("/live").param("a", 1).alt("/b?$(X)").toHtml())
                .isEqualTo("<esi:include src=\"/live?a=1\" alt=\"/b?%24(X)\"/>");
    }

    @Test
    void whatStandsInIsInert() {
        assertThat(Esi.include("/live").onError(OnError.CONTINUE).fallback("<p>none</p>").toHtml())
                .isEqualTo(
                        "<esi:try><esi:attempt><esi:include src=\"/live\"/></esi:attempt><esi:except><p>none</p></esi:except></esi:try>");
        assertThat(
                        Esi.all(
                                        Esi.html(
                                                "a<esi:include src=\"/x\"/></esi:try><!--esi x-->"),
                                        Esi.remove("<ESI:vars>"))
                                .toHtml())
                .isEqualTo(
                        "a&lt;esi:include src=\"/x\"/>&lt;/esi:try>&lt;!--esi x--><esi:remove>&lt;ESI:vars></esi:remove>");
    }

    @Test
    void aVariableIsOneMinimalElement() {
        assertThat(Esi.variable("HTTP_HOST").toHtml())
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
        assertThat(Esi.variable("HTTP_COOKIE", "edition", "world").toHtml())
                .isEqualTo("<esi:vars>$(HTTP_COOKIE{edition}|'world')</esi:vars>");
        assertThat(Esi.variable("HTTP_COOKIE").key("a").toHtml())
                .isEqualTo("<esi:vars>$(HTTP_COOKIE{a})</esi:vars>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "A)", "A B", "A{b", "<x>"})
    void whatIsNoVariableIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.variable(name).toHtml())
                .withMessageContaining("is not a valid variable");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.variable("A").key(name).toHtml())
                .withMessageContaining("is not a valid key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"it's", "a\\", "$(B)", "<b>"})
    void whatCannotBeQuotedStandsInForNothing(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.variable("A").or(text).toHtml())
                .withMessageContaining("is not a valid default");
    }

    @Test
    void aChoiceIsBuiltOfBranches() {
        var choice =
                Esi.choose()
                        .when("$(HTTP_COOKIE{plan}) == 'gold' & 1 < 2", Esi.include("/gold"))
                        .otherwise(Esi.html("none"));

        assertThat(choice.toHtml())
                .isEqualTo(
                        "<esi:choose><esi:when test=\"$(HTTP_COOKIE{plan}) == &apos;gold&apos; &amp; 1 &lt; 2\"><esi:include src=\"/gold\"/></esi:when><esi:otherwise>none</esi:otherwise></esi:choose>");
        assertThatIllegalStateException().isThrownBy(() -> Esi.choose().toHtml());
    }

    @Test
    void everyTagAndReferenceIsStampedAndNoted() {
        TagWriter.begin(
                request, Placeholder.of(new StampProperties(true, SECRET)), exchange::tagWritten);
        assertThat(exchange.hasTags()).isFalse();

        var html =
                Esi.attempt(
                                Esi.include("/a"),
                                Esi.choose()
                                        .when("1", Esi.variable("X"))
                                        .otherwise(Esi.html("$(Y)")))
                        .toHtml();

        assertThat(html.replace(SECRET + ":", "#"))
                .isEqualTo(
                        "<esi:#try><esi:#attempt><esi:#include src=\"/a\"/></esi:#attempt><esi:#except><esi:#choose><esi:#when test=\"1\"><esi:#vars>$#(X)</esi:#vars></esi:#when><esi:#otherwise>$(Y)</esi:#otherwise></esi:#choose></esi:#except></esi:#try>");
        assertThat(exchange.hasTags()).isTrue();
    }

    @Test
    void aThreadThatAnswersNoRequestIsTold() {
        RequestContextHolder.resetRequestAttributes();

        assertThatIllegalStateException()
                .isThrownBy(() -> Esi.include("/live").toHtml())
                .withMessageContaining("handles no request")
                .withMessageContaining("toHtml(request)");
        assertThatIllegalStateException()
                .isThrownBy(() -> Esi.include(Site.Fragments.class, site -> site.spare()))
                .withMessageContaining("handles no request");
        assertThat(Esi.include("/live").toHtml(request)).isEqualTo("<esi:include src=\"/live\"/>");
        assertThat(exchange.hasTags()).isTrue();
    }

    @Test
    void aSessionIdIsDropped() {
        assertThat(Esi.include("/a;jsessionid=F00/b;v=1;JSESSIONID=1.node?x=;y").src())
                .isEqualTo("/a/b;v=1?x=;y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "/a\r\nb", "/a\u0000"})
    void whatIsNoUrlIsRefused(String src) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.include(src))
                .withMessageContaining("src of an include")
                .withMessageContaining("expected a path");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Esi.include("/ok").alt(src))
                .withMessageContaining("alt of an include");
    }
}
