package dev.quire.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.AcceptEncoding;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PassingCompressionTest {

    /** A field called {@code -} is absent. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // The request: method, Accept-Encoding, a further field.
                "GET  | gzip              | -             |       | true",
                "HEAD | gzip              | -             |       | true",
                "GET  | br, gzip;q=0.5    | -             |       | true",
                "GET  | *                 | -             |       | true",
                "GET  | x-gzip            | Referer       | /     | true",
                "POST | gzip              | -             |       | false",
                "PUT  | gzip              | -             |       | false",
                "GET  | br                | -             |       | false",
                "GET  | gzip;q=0          | -             |       | false",
                "GET  | gzip;q=0.1, identity | -          |       | false",
                "GET  | gzip              | Cookie        | a=1   | false",
                "GET  | gzip              | cookie        | a=1   | false",
                "GET  | gzip              | Authorization | Basic | false",
                "GET  | gzip              | Range         | bytes=0-1 | true",
            })
    void requestDecides(
            String method, String accepted, String name, String value, boolean applies) {
        var request = request(method, accepted, name, value == null ? "" : value);

        assertThat(passing(request).appliesTo(page("-", ""), -1)).isEqualTo(applies);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-                 |                           | true",
                "Cache-Control     | no-cache                  | true",
                "Cache-Control     | max-age=0, must-revalidate | true",
                "Content-Encoding  | identity                  | true",
                "Vary              | Cookie                    | true",
                "Cache-Control     | no-transform              | false",
                "Cache-Control     | private                   | false",
                "Cache-Control     | max-age=9, PRIVATE        | false",
                "Cache-Control     | private=\"set-cookie\"    | false",
                "Cache-Control     | no-store                  | false",
                "CDN-Cache-Control | private                   | false",
                "Surrogate-Control | no-store                  | false",
                "Surrogate-Control | no-store;quire            | false",
                "Set-Cookie        | a=1                       | false",
                "Content-Encoding  | br                        | false",
                "Content-Range     | bytes 0-1/2               | false",
            })
    void responseDecides(String name, String value, boolean applies) {
        var response = page(name, value == null ? "" : value);

        assertThat(passing(request()).appliesTo(response, -1)).isEqualTo(applies);
    }

    @ParameterizedTest
    @CsvSource({
        "text/css, true",
        "application/json;charset=utf-8, true",
        "image/svg+xml, true",
        "text/event-stream, false",
        "Text/Event-Stream; charset=utf-8, false",
        "image/png, false",
        "application/octet-stream, false"
    })
    void mediaTypeDecides(String type, boolean applies) {
        var response = new ResponseHead(200, "", Fields.of("Content-Type", type));

        assertThat(passing(request()).appliesTo(response, 10_000)).isEqualTo(applies);
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "512, true", "511, false", "0, false"})
    void knownLengthDecides(long bytes, boolean applies) {
        assertThat(passing(request()).appliesTo(page("-", ""), bytes)).isEqualTo(applies);
    }

    @ParameterizedTest
    @CsvSource({"200, true", "201, false", "203, false", "206, false", "304, false", "404, false"})
    void statusDecides(int status, boolean applies) {
        var response = new ResponseHead(status, "", page("-", "").fields());

        assertThat(passing(request()).appliesTo(response, -1)).isEqualTo(applies);
    }

    @ParameterizedTest
    @CsvSource({
        "ALL, false, true, true",
        "ESI, false, true, false",
        "OFF, false, true, false",
        "ALL, true, true, false",
        "ALL, false, false, false"
    })
    void modeClaimsAndProtocolDecide(
            Compression mode, boolean hasClaims, boolean takesChunks, boolean applies) {
        var accepted = AcceptEncoding.of(request().fields());
        var passing = new PassingCompression(mode, request(), accepted, hasClaims, takesChunks);

        assertThat(passing.appliesTo(page("-", ""), -1)).isEqualTo(applies);
    }

    private static PassingCompression passing(RequestHead request) {
        var accepted = AcceptEncoding.of(request.fields());
        return new PassingCompression(Compression.ALL, request, accepted, false, true);
    }

    private static RequestHead request() {
        return request("GET", "gzip", "-", "");
    }

    private static RequestHead request(String method, String accepted, String name, String value) {
        var fields = with("Accept-Encoding", accepted, name, value);
        return new RequestHead(method, Scheme.HTTP, "a.example", "/", fields);
    }

    private static ResponseHead page(String name, String value) {
        return new ResponseHead(200, "", with("Content-Type", "text/html", name, value));
    }

    private static Fields with(String first, String its, String name, String value) {
        return Fields.of(
                (name.equals("-") ? Stream.of(first, its) : Stream.of(first, its, name, value))
                        .toArray(String[]::new));
    }
}
