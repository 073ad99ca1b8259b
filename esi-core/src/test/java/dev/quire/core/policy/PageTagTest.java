package dev.quire.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The entity tag of an assembled page, and conditions on it. */
class PageTagTest {
    private static final ContentHash PAGE = hash("a page of some text");
    private static final ContentHash ONE = hash("one fragment");
    private static final ContentHash OTHER = hash("another fragment");

    @Test
    void samePiecesInTheSameOrderHaveTheSameWeakTag() {
        assertThat(tag(PAGE, ONE)).isEqualTo(tag(PAGE, ONE)).matches("W/\"[0-9a-f]{32}\"");
    }

    @Test
    void everyPieceAndTheirOrderCount() {
        assertThat(tag(PAGE, ONE))
                .isNotEqualTo(tag(PAGE, OTHER))
                .isNotEqualTo(tag(ONE, PAGE))
                .isNotEqualTo(tag(PAGE))
                .isNotEqualTo(tag(PAGE, ONE, ONE))
                .isNotEqualTo(tag());
    }

    @Test
    void whichPartOfADocumentIsWrittenCounts() {
        var front = new PageTag();
        front.add(PAGE, 0, 6);
        var back = new PageTag();
        back.add(PAGE, 6, 12);

        assertThat(front.text()).isNotEqualTo(back.text());
    }

    @Test
    void evaluatedTextCounts() {
        var kim = new PageTag();
        kim.add("Kim".getBytes(US_ASCII));
        var lee = new PageTag();
        lee.add("Lee".getBytes(US_ASCII));

        assertThat(kim.text()).isNotEqualTo(lee.text());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "GET | If-None-Match | 'W/\"a\"' | true",
                "GET | If-None-Match | '\"a\"' | true",
                "GET | If-None-Match | '\"b\", W/\"a\"' | true",
                "GET | If-None-Match | '*' | true",
                "HEAD | If-None-Match | 'W/\"a\"' | true",
                "GET | If-None-Match | 'W/\"b\"' | false",
                "POST | If-None-Match | 'W/\"a\"' | false",
                "GET | If-Modified-Since | 'Fri, 20 Nov 2099 12:00:00 GMT' | false",
            })
    void onlyTheTagAnswersAConditionalRequest(
            String method, String name, String value, boolean isNotModified) {
        var request =
                new RequestHead(method, Scheme.HTTP, "news.test", "/", Fields.of(name, value));

        assertThat(Conditions.isNotModified(request, "W/\"a\"")).isEqualTo(isNotModified);
    }

    private static String tag(ContentHash... parts) {
        var tag = new PageTag();
        for (var part : parts) {
            tag.add(part, 0, 12);
        }
        return tag.text();
    }

    private static ContentHash hash(String text) {
        return ContentHash.of(text.getBytes(US_ASCII));
    }
}
