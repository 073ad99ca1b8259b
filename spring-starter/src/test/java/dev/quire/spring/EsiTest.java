package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EsiTest {

    @Test
    void everyPartOfAnIncludeIsEscaped() {
        var include =
                Esi.include("/live?a=1&b=\"><script>'").alt("/spare?<&>").onError(OnError.CONTINUE);

        assertThat(include.toHtml())
                .isEqualTo(
                        "<esi:include src=\"/live?a=1&amp;b=&quot;&gt;&lt;script&gt;&apos;\" alt=\"/spare?&lt;&amp;&gt;\" onerror=\"continue\"/>");
    }

    @Test
    void anIncludeMayFailThePage() {
        assertThat(Esi.include("/live").onError(OnError.FAIL).toHtml())
                .isEqualTo("<esi:include src=\"/live\" onerror=\"fail\"/>");
    }

    @Test
    void markupOfYourOwnIsLeftAsItIs() {
        assertThat(Esi.markup("<esi:vars>$(HTTP_HOST)</esi:vars>"))
                .isEqualTo("<esi:vars>$(HTTP_HOST)</esi:vars>");
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
