package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which fields are forwarded, and which are stored. */
class Rfc9111Section3_1Test {

    @Must
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "keep-alive",
                "Proxy-Connection",
                "TE",
                "Transfer-Encoding",
                "UPGRADE",
                "Proxy-Authenticate",
                "Proxy-Authentication-Info",
                "Proxy-Authorization"
            })
    void fieldsOfTheConnectionStayThere(String name) {
        var fields = Fields.of("A", "1", name, "x", "B", "2");

        assertThat(ForwardedFields.forwardable(fields)).isEqualTo(Fields.of("A", "1", "B", "2"));
        assertThat(ForwardedFields.storable(fields)).isEqualTo(Fields.of("A", "1", "B", "2"));
    }

    @Must
    @Test
    void fieldsThatConnectionNamesStayThereToo() {
        var fields =
                Fields.of(
                        "Connection",
                        "close, , a",
                        "B",
                        "2",
                        "connection",
                        " C",
                        "A",
                        "1",
                        "c",
                        "3");

        assertThat(ForwardedFields.forwardable(fields)).isEqualTo(Fields.of("B", "2"));
        assertThat(ForwardedFields.storable(fields)).isEqualTo(Fields.of("B", "2"));
    }

    @Must
    @Test
    void fieldsForOneReaderAreForwardedButNotStored() {
        var fields =
                Fields.of(
                        "Cache-Control",
                        "max-age=60, private=\"X-User, X-Cart\", no-cache=\"X-Once\"",
                        "x-user",
                        "1",
                        "X-CART",
                        "2",
                        "X-Once",
                        "3",
                        "X-All",
                        "4");

        assertThat(ForwardedFields.forwardable(fields)).isEqualTo(fields);
        assertThat(ForwardedFields.storable(fields).contains("X-User")).isFalse();
        assertThat(ForwardedFields.storable(fields).contains("X-Cart")).isFalse();
        assertThat(ForwardedFields.storable(fields).contains("X-Once")).isFalse();
        assertThat(ForwardedFields.storable(fields).first("X-All")).isEqualTo("4");
    }

    @Must
    @Test
    void fieldsForOneReaderAreNotStoredThoughARuleRemovesTheDirective() {
        var received = Fields.of("Cache-Control", "private=\"X-User\"", "X-User", "1");

        assertThat(ForwardedFields.storable(Fields.of("X-User", "1", "X-All", "4"), received))
                .isEqualTo(Fields.of("X-All", "4"));
    }

    @Must
    @Test
    void allElseIsKeptLineForLine() {
        var fields =
                Fields.of(
                        "Set-Cookie",
                        "a=1",
                        "Set-Cookie",
                        "b=2",
                        "Content-Encoding",
                        "unknown",
                        "Content-Range",
                        "bytes 0-1/2",
                        "Content-MD5",
                        "x",
                        "X-Unknown",
                        " odd ",
                        "Age",
                        "3",
                        "ETag",
                        "abc",
                        "Clear-Site-Data",
                        "\"*\"");

        assertThat(ForwardedFields.storable(fields)).isEqualTo(fields);
    }
}
