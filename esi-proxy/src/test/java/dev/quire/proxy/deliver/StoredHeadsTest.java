package dev.quire.proxy.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.policy.Compression;
import dev.quire.proxy.cache.StoredHead;
import dev.quire.proxy.exchange.HeadLines;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoredHeadsTest {
    private static final ResponseHead HEAD =
            new ResponseHead(
                    203,
                    "Non-Authoritative Information",
                    Fields.of(
                            "Date",
                            "Tue, 24 Nov 2026 02:05:47 GMT",
                            "Content-Type",
                            "text/html",
                            "Content-Length",
                            "5000",
                            "Set-Cookie",
                            "a=1",
                            "X-Twice",
                            "1",
                            "x-twice",
                            "2",
                            "Surrogate-Control",
                            "max-age=10"));

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void hpackFormHasTheLinesOfTheText(boolean isPage, boolean inGzip) throws Exception {
        var head = new StoredHeads(() -> Compression.ALL).render(HEAD, 5000, isPage, true);

        assertThat(head.isCompressible()).isTrue();
        var expected = new ArrayList<>(List.of(":status: 203"));
        expected.addAll(lines(head, inGzip));
        assertThat(hpack(head, inGzip)).isEqualTo(expected);
        // The second time from the form that is kept.
        assertThat(hpack(head, inGzip)).isEqualTo(expected);
    }

    private static List<String> lines(StoredHead head, boolean inGzip) {
        var lines = new ArrayList<String>();
        head.writeTo(
                new HeadLines() {
                    @Override
                    public void line(CharSequence name, String value) {
                        lines.add(name.toString().toLowerCase(Locale.ROOT) + ": " + value);
                    }

                    @Override
                    public void line(CharSequence name, CharSequence value, long number) {
                        line(name, value.toString() + number);
                    }
                },
                inGzip);
        return lines;
    }

    private static List<String> hpack(StoredHead head, boolean inGzip) throws Http2Exception {
        var out = Unpooled.buffer();
        head.writeHpackTo(out, inGzip);
        var lines = new ArrayList<String>();
        for (var line : new DefaultHttp2HeadersDecoder(false).decodeHeaders(1, out)) {
            lines.add(line.getKey() + ": " + line.getValue());
        }
        return lines;
    }
}
