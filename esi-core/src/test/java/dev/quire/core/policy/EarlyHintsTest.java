package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 8297. */
class EarlyHintsTest {
    private static final String PRELOAD = "</a.css>; rel=preload; as=style";

    @ParameterizedTest
    @CsvSource({
        "HTTP/2, navigate, true",
        "HTTP/2, Navigate, true",
        "HTTP/2, no-cors, false",
        "HTTP/2, '', false",
        "HTTP/1.1, navigate, false",
        "HTTP/1.0, navigate, false"
    })
    void areUsedByNavigationsOverHttp2(String protocol, String mode, boolean expected) {
        assertThat(EarlyHints.areUsed(Fields.of("Sec-Fetch-Mode", mode), protocol))
                .isEqualTo(expected);
    }

    @Test
    void requestsWithoutFetchMetadataGetNone() {
        assertThat(EarlyHints.areUsed(Fields.EMPTY, "HTTP/2")).isFalse();
    }

    @Test
    void linksAndPoliciesOfAnOriginArePassed() {
        var received =
                Fields.of(
                        "Link",
                        PRELOAD,
                        "Content-Security-Policy",
                        "style-src: self",
                        "Link",
                        "</b>; rel=preconnect");

        assertThat(EarlyHints.passed(received)).isEqualTo(received);
    }

    @Test
    void otherFieldsOfAnOriginAreNot() {
        var received =
                Fields.of(
                        "Connection", "close",
                        "Transfer-Encoding", "chunked",
                        "Content-Length", "3",
                        "Set-Cookie", "a=b",
                        "Cache-Control", "max-age=60",
                        "Surrogate-Control", "no-store",
                        "X-Any", "1",
                        "Link", PRELOAD);

        assertThat(EarlyHints.passed(received)).isEqualTo(Fields.of("Link", PRELOAD));
    }

    @Test
    void linksThatConnectionNominatesAreNot() {
        assertThat(EarlyHints.passed(Fields.of("Connection", "Link", "Link", PRELOAD)))
                .isEqualTo(Fields.EMPTY);
    }

    @Test
    void policiesWithoutALinkAreNot() {
        assertThat(EarlyHints.passed(Fields.of("Referrer-Policy", "origin")))
                .isEqualTo(Fields.EMPTY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "</a.css>; rel=preload; as=style",
                "</a.js>; REL=\"ModulePreload\"",
                "<https://cdn.test>; rel=preconnect",
                "</a,b.css>; rel=preload",
                "</a.css>; title=\"a, b\"; rel=preload",
                "</a.css>; rel=\"preload stylesheet\""
            })
    void earlyLinksAreFound(String link) {
        assertThat(EarlyHints.links(Fields.of("Link", link))).containsExactly(link);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "</next>; rel=next",
                "</a.css>; rel=stylesheet; rel=preload",
                "</a.css>; as=preload",
                "</a.css>; title=\"; rel=preload\"",
                "/a.css; rel=preload",
                "</a.css; rel=preload",
                "</a.css>"
            })
    void otherLinksAreNot(String link) {
        assertThat(EarlyHints.links(Fields.of("Link", link))).isEmpty();
    }

    @Test
    void linksOfSeveralLinesKeepTheirOrder() {
        var fields =
                Fields.of(
                        "Link",
                        PRELOAD + ", </2>; rel=next ,</b>;rel=preload",
                        "Link",
                        "<c>;rel=preconnect");

        assertThat(EarlyHints.links(fields))
                .containsExactly(PRELOAD, "</b>;rel=preload", "<c>;rel=preconnect");
    }

    @Test
    void linksAreLimited() {
        var many = String.join(", ", Collections.nCopies(40, PRELOAD));
        var big = "</" + "a".repeat(3000) + ">; rel=preload";

        assertThat(EarlyHints.links(Fields.of("Link", many))).hasSize(EarlyHints.MAX_LINKS);
        assertThat(EarlyHints.links(Fields.of("Link", big, "Link", big, "Link", PRELOAD)))
                .containsExactly(big);
    }

    @Test
    void linksOfOneClientAreNotRemembered() {
        var link = Fields.of("Link", PRELOAD);

        assertThat(remembered(Fields.EMPTY, 200, link)).containsExactly(PRELOAD);
        assertThat(remembered(Fields.of("Authorization", "Basic x"), 200, link)).isEmpty();
        assertThat(remembered(Fields.EMPTY, 200, Fields.of("Link", PRELOAD, "Set-Cookie", "a=b")))
                .isEmpty();
        assertThat(remembered(Fields.EMPTY, 404, link)).isEmpty();
    }

    private static List<String> remembered(Fields request, int status, Fields response) {
        return EarlyHints.remembered(
                new RequestHead("GET", Scheme.HTTPS, "news.test", "/", request),
                new ResponseHead(status, "", response));
    }
}
