package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.FieldNames;
import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110 §6.5.1. */
class TrailerFieldsTest {

    @ParameterizedTest
    @ValueSource(strings = {"X-Checksum", "Server-Timing", "grpc-status", "ETag", "Content-Digest"})
    void someFieldsAreForwarded(String name) {
        assertThat(TrailerFields.mayBeTrailer(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "Transfer-Encoding",
                "TE",
                "Connection",
                "Keep-Alive",
                "Upgrade",
                "Trailer",
                "Host",
                "Expect",
                "Range",
                "If-Match",
                "Max-Forwards",
                "content-type",
                "Content-Encoding",
                "Content-Range",
                "SET-COOKIE",
                "Cookie",
                "Cache-Control",
                "CDN-Cache-Control",
                "Expires",
                "Date",
                "Pragma",
                "Surrogate-Control",
                "Surrogate-Capability",
                "Age",
                "Vary",
                "Location",
                "Retry-After",
                "Authorization",
                "WWW-Authenticate",
                "Proxy-Authorization",
                "Proxy-Status",
                "Client-Cert",
                "Access-Control-Allow-Origin",
                "Origin",
                "Sec-Fetch-Mode",
                "Forwarded",
                "Via",
                "X-Forwarded-For",
                "X-Esi-Level"
            })
    void fieldsThatControlAMessageAreNot(String name) {
        assertThat(TrailerFields.mayBeTrailer(name)).isFalse();
    }

    @Test
    void fieldsThatTheHeadNominatesOrThatAreMalformedAreDropped() {
        var head = Fields.of("Connection", "X-A, close");
        var trailers = Fields.of("x-a", "1", "X-B", "2", "X C", "3", "X-D", "4\r\nSet-Cookie: e=5");

        assertThat(TrailerFields.ofResponse(head, trailers)).isEqualTo(Fields.of("X-B", "2"));
    }

    @Test
    void requestsKeepOnlyNamedFields() {
        var trailers = Fields.of("X-Sum", "1", "X-Other", "2", "Host", "evil");

        assertThat(TrailerFields.ofRequest(FieldNames.of("x-sum", "host"), trailers))
                .isEqualTo(Fields.of("X-Sum", "1"));
        assertThat(TrailerFields.ofRequest(FieldNames.NONE, trailers)).isEqualTo(Fields.EMPTY);
    }
}
