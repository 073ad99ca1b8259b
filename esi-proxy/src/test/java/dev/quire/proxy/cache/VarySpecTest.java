package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.store.RecordKeys;
import io.netty.buffer.ByteBufUtil;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lists of variants in a shared store. */
class VarySpecTest {
    private static final RecordHash KEY = new RecordHash(1, 2);
    private static final SharedRecords.Version VERSION =
            new SharedRecords.Version(new RecordPosition(3, 4), 5);

    @Test
    void recordHasItsKindWhereTheStoreComparesIt() {
        var spec = new VarySpec(KEY, "cookie", List.of("", "zstd"));
        var record = spec.written(VERSION);
        var kind = RecordKeys.bytes(spec.kind());

        assertThat(ByteBufUtil.getBytes(record, 24, kind.length)).isEqualTo(kind);
        assertThat(kind).hasSize(16).startsWith(RecordKeys.bytes(VarySpec.kindOf("cookie")));
        assertThat(VarySpec.read(record, KEY)).isEqualTo(spec);
        record.release();
    }

    @Test
    void kindIsThatOfTheNamesAndTheSetOfCodings() {
        var kind = new VarySpec(KEY, "cookie", List.of("", "zstd")).kind();

        assertThat(new VarySpec(KEY, "cookie", List.of("zstd", "")).kind()).isEqualTo(kind);
        for (var codings : List.of(List.of(""), List.of("zstd"), List.of("", "zstd", "br"))) {
            var more = new VarySpec(KEY, "cookie", codings).kind();
            assertThat(more.names()).isEqualTo(kind.names());
            assertThat(more.codings()).isNotEqualTo(kind.codings());
        }
        assertThat(new VarySpec(KEY, "", List.of("", "zstd")).kind().names())
                .isNotEqualTo(kind.names());
    }
}
