package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hop-by-hop fields and what Connection nominates; the same for requests and responses. */
class Rfc9110Section7_6_1Test {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "HTTP2-Settings",
                "Keep-Alive",
                "Proxy-Authenticate",
                "Proxy-Authentication-Info",
                "Proxy-Authorization",
                "Proxy-Connection",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "Upgrade"
            })
    void fieldOfOneConnectionIsNotForwardedInEitherDirection(String name) {
        for (var each : new String[] {name, name.toLowerCase(Locale.ROOT)}) {
            assertThat(HopByHop.isHopByHop(each)).isTrue();
            assertThat(RequestFields.goesUp(each)).isFalse();
            assertThat(RequestFields.mayBeEdited(each)).isFalse();
            assertThat(ResponseFields.goesToClients(each)).isFalse();
            assertThat(ResponseFields.mayBeSet(each)).isFalse();
            assertThat(ForwardedFields.forwardable(Fields.of(each, "x", "B", "2")))
                    .isEqualTo(Fields.of("B", "2"));
            assertThat(ForwardedFields.storable(Fields.of(each, "x", "B", "2")))
                    .isEqualTo(Fields.of("B", "2"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cookie", "Content-Type", "Trailers", "Proxy", "Via", "Date", ""})
    void otherFieldsAreNotHopByHop(String name) {
        assertThat(HopByHop.isHopByHop(name)).isFalse();
    }

    @Test
    void connectionNominatesMoreOfThem() {
        var fields =
                Fields.of("Connection", "close, X-One ,", "connection", "x-two", "X-Three", "3");

        assertThat(HopByHop.nominated(fields)).containsExactly("close", "X-One", "x-two");
        assertThat(HopByHop.nominated(fields).contains("x-one")).isTrue();
        assertThat(HopByHop.nominated(fields).contains("X-Three")).isFalse();
        assertThat(HopByHop.nominated(Fields.EMPTY)).isEmpty();
    }

    @Test
    void nominatedFieldsAreNeitherForwardedNorStored() {
        var fields = Fields.of("Connection", "x-one", "X-One", "1", "X-Two", "2");

        assertThat(ForwardedFields.forwardable(fields)).isEqualTo(Fields.of("X-Two", "2"));
        assertThat(ForwardedFields.storable(fields)).isEqualTo(Fields.of("X-Two", "2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Surrogate-Control", "surrogate-capability", "X-ESI-Level", "x-esi-parent"})
    void fieldsBetweenSurrogatesComeFromNoClientAndNoAuthor(String name) {
        assertThat(HopByHop.isOfSurrogates(name)).isTrue();
        assertThat(RequestFields.goesUp(name)).isFalse();
        assertThat(RequestFields.mayBeEdited(name)).isFalse();
        assertThat(ResponseFields.mayBeSet(name)).isFalse();
    }
}
