package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class BareTest {

    @Test
    void pageIsReadyInAsManyPiecesAsASurrogateWrites() {
        var answer = Bare.answer("/page/esi/10").orElseThrow();

        assertThat(answer.body()).hasSize(21);
        assertThat(joined(answer.body())).isEqualTo(Site.assembled("/page/esi/10", ""));
    }

    @Test
    void packedPageIsOneSoundMember() throws IOException {
        var answer = Bare.answer("/packed/page/esi/10").orElseThrow();

        assertThat(answer.fields()).containsEntry("Content-Encoding", "gzip");
        assertThat(answer.body()).hasSize(1 + 21 + 1);
        try (var in = new GZIPInputStream(new ByteArrayInputStream(joined(answer.body())))) {
            assertThat(in.readAllBytes()).isEqualTo(Site.assembled("/packed/page/esi/10", ""));
        }
    }

    @Test
    void whatChangesIsNotThere() {
        assertThat(Bare.answer("/mine")).isEmpty();
        assertThat(Bare.answer("/nothing")).isEmpty();
    }

    private static byte[] joined(List<byte[]> pieces) {
        var out = new ByteArrayOutputStream();
        pieces.forEach(out::writeBytes);
        return out.toByteArray();
    }
}
