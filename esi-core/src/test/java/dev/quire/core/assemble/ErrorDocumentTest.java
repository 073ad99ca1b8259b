package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorDocumentTest {
    private static final ErrorPage PAGE = new ErrorPage(502, "The origin server sent nothing.");
    private static final String ID = "01JD9XK4ZZ0000000000000000";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8 | text/html",
                "TEXT/HTML | text/html",
                "text/* | text/html",
                "text/html;q=0.5, text/plain;q=0.4 | text/html",
                "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2 | text/html",
                "application/json | application/problem+json",
                "application/problem+json | application/problem+json",
                "application/vnd.api+json | application/problem+json",
                "application/json, text/plain, */* | application/problem+json",
                "application/json, text/html | application/problem+json",
                "application/json;q=0.9, text/html | text/html",
                "application/* | application/problem+json",
                "application/*, application/json;q=0 | text/plain",
                "text/html;q=0, */* | text/plain",
                "text/html;q=2 | text/plain",
                "text/html;q=0.5, text/plain | text/plain",
                "*/* | text/plain",
                "image/avif,image/webp,*/*;q=0.8 | text/plain",
                "text/html-x | text/plain",
                "'' | text/plain"
            })
    void formIsTheOneThatTheClientNames(String accept, String type) {
        var document = ErrorDocument.of(PAGE, Fields.of("Accept", accept), ID);

        assertThat(document.contentType().split(";", 2)[0]).isEqualTo(type);
        assertThat(document.text()).contains("The origin server sent nothing.", ID);
        assertThat(document.policy()).startsWith("default-src 'none'");
    }

    @Test
    void clientWithoutAcceptGetsText() {
        assertThat(ErrorDocument.of(PAGE, Fields.of(), ID))
                .isEqualTo(
                        new ErrorDocument(
                                PAGE,
                                "text/plain; charset=utf-8",
                                "default-src 'none'",
                                "The origin server sent nothing.\nRequest id: " + ID + "\n"));
    }

    @Test
    void problemDetailsAreThoseOfRfc9457() {
        assertThat(ErrorDocument.of(PAGE, Fields.of("Accept", "application/json"), ID).text())
                .isEqualTo(
                        """
                        {"title":"Bad Gateway","status":502,"detail":"The origin server sent nothing.","requestId":"%s"}
                        """
                                .formatted(ID));
    }

    @ParameterizedTest
    @CsvSource({
        "405, 'Method Not Allowed', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',",
        "503, 'Service Unavailable', , 1",
        "502, 'Bad Gateway', ,"
    })
    void headHasTheFieldsOfItsStatus(
            int status, String reason, @Nullable String allow, @Nullable String retryAfter) {
        var document = ErrorDocument.of(new ErrorPage(status, "A."), Fields.of(), ID);
        var head = document.head(Instant.EPOCH);

        assertThat(head.status()).isEqualTo(status);
        assertThat(head.reason()).isEqualTo(reason);
        assertThat(head.fields().first("Date")).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
        assertThat(head.fields().first("Cache-Control")).isEqualTo("no-store");
        assertThat(head.fields().first("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(head.fields().first("Content-Security-Policy")).isEqualTo("default-src 'none'");
        assertThat(head.fields().first("Content-Length"))
                .isEqualTo(String.valueOf(document.text().length()));
        assertThat(head.fields().first("Allow")).isEqualTo(allow);
        assertThat(head.fields().first("Retry-After")).isEqualTo(retryAfter);
    }

    @ParameterizedTest
    @CsvSource({"text/html", "application/json", "text/plain"})
    void idIsNoMarkup(String accept) {
        var document = ErrorDocument.of(PAGE, Fields.of("Accept", accept), "<b>\"&'\n\\x.y-1_2");

        assertThat(document.text()).contains("_b______x.y-1_2");
    }
}
