package dev.quire.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Accept-Encoding. */
class Rfc9110Section12_5_3Test {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gzip",
                "GZip",
                "x-gzip",
                "gzip, deflate, br, zstd",
                "br;q=1.0, gzip;q=0.8, *;q=0.1",
                "gzip;q=0.001",
                "gzip ; Q=1.000",
                "*",
                "*;q=0.5",
                "identity;q=0.5, gzip;q=0.5",
                "identity;q=0, *;q=0.2",
                "gzip;q=0, x-gzip",
                ",, gzip ,",
                "deflate,\tgzip",
                "gzip;level=9;q=0.5",
            })
    void gzipIsPreferredWhereItIsNamedOrMeant(String value) {
        assertThat(of(value).prefersGzip()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "identity",
                "br",
                "gzip;q=0",
                "gzip;q=0.000",
                "gzip;q=0, *",
                "*;q=0",
                "identity, gzip;q=0.9",
                "gzipped",
                "gzip;q=2",
                "gzip;q=1.001",
                "gzip;q=0.5000",
                "gzip;q=-1",
                "gzip;q=",
                "gzip;q=0.x",
                "gzip;q=high",
                ";q=1",
            })
    void gzipIsNotPreferredOtherwise(String value) {
        assertThat(of(value).prefersGzip()).isFalse();
    }

    @Test
    void whoSaysNothingGetsNoCoding() {
        var nothing = AcceptEncoding.of(Fields.EMPTY);

        assertThat(nothing.prefersGzip()).isFalse();
        assertThat(nothing.accepts(List.of("br"))).isFalse();
        assertThat(nothing.accepts(List.of())).isTrue();
    }

    @Test
    void severalLinesAreOneList() {
        var both =
                AcceptEncoding.of(
                        Fields.of("Accept-Encoding", "br", "accept-encoding", "gzip;q=0.1"));

        assertThat(both.prefersGzip()).isTrue();
        assertThat(both.accepts(List.of("br"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, br        | br         | true",
                "gzip, br        | gzip, br   | true",
                "gzip            | x-gzip     | true",
                "gzip            | gzip, br   | false",
                "gzip            | br         | false",
                "br;q=0, *       | br         | false",
                "br;q=0, *       | zstd       | true",
                "identity;q=0    | identity   | true",
            })
    void bodyIsAcceptedIfEachOfItsCodingsIs(String accepted, String coding, boolean isAccepted) {
        assertThat(of(accepted).accepts(List.of(coding))).isEqualTo(isAccepted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "gzip, deflate, br, zstd    | br, gzip, zstd | br, gzip",
                "ZSTD,x-gzip;q=0.001        | gzip, zstd     | gzip",
                "*                          | br, gzip, zstd | br, gzip",
                "*, br;q=0                  | gzip, zstd     | gzip",
                "br;q=0, gzip;q=0.0, *;q=0  | -              | -",
                "deflate, compress, evil    | -              | -",
                "zstd                       | zstd           | -",
                "identity                   | -              | -",
                "''                         | -              | -",
            })
    void originIsAskedForWhatIsAcceptedInOneOrder(
            String accepted, @Nullable String all, @Nullable String decodable) {
        assertThat(of(accepted).forOrigin()).isEqualTo(all);
        assertThat(of(accepted).decodableForOrigin()).isEqualTo(decodable);
    }

    @Test
    void spellingForTheOriginIsAConstant() {
        assertThat(of("br , gzip").forOrigin()).isSameAs(of("gzip,br;q=0.5, evil").forOrigin());
        assertThat(AcceptEncoding.of(Fields.EMPTY).forOrigin()).isNull();
    }

    @Test
    void readingTheSameAgainComesToTheSame() {
        assertThat(of("gzip;q=0.7, zstd")).isSameAs(of("gzip;q=0.7, zstd"));
    }

    private static AcceptEncoding of(String value) {
        return AcceptEncoding.of(Fields.of("Accept-Encoding", value));
    }
}
