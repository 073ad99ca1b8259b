package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.RULES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.expression.Escape;
import dev.quire.proxy.gzip.GzipPiece;
import dev.quire.proxy.gzip.GzipStream;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CompressingTest {
    private static final String FRESH = "max-age=60";
    private static final String TEXT = "<p>text</p>".repeat(60);

    private final CacheHouse house = new CacheHouse();
    private final Queue<Runnable> aside = new ArrayDeque<>();
    private final Compressing compressing = new Compressing(house.store, aside::add);

    @AfterEach
    void nothingIsLeftOver() {
        house.close();
    }

    @Test
    void fewBodiesAreCompressedInPassingAtATime() {
        var alloc = UnpooledByteBufAllocator.DEFAULT;
        var streams = new ArrayDeque<GzipStream>();
        for (int i = 0; i < Compressing.MAX_STREAMS; i++) {
            streams.add(Objects.requireNonNull(compressing.stream(alloc)));
        }

        assertThat(compressing.stream(alloc)).isNull();
        streams.remove().close();
        streams.add(Objects.requireNonNull(compressing.stream(alloc)));
        assertThat(compressing.stream(alloc)).isNull();

        streams.forEach(GzipStream::close);
    }

    @Test
    void pieceIsMadeOnceKeptAndWeighed() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        long before = house.store.weightBytes();
        var response = house.found();

        var made = compressed(response, 0, TEXT.length());
        var again = compress(response, 0, TEXT.length());

        assertThat(again).isNull();
        assertThat(response.piece(0, TEXT.length())).isSameAs(made);
        assertThat(response.piece(0, 5)).isNull();
        assertThat(house.store.weightBytes() - before)
                .isEqualTo(Footprint.FORMS_BYTES + Footprint.PIECE_BYTES + made.weightBytes());
        response.release();
    }

    @Test
    void piecesOfManySpansAreFoundByThem() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var response = house.found();

        for (int i = 0; i < 500; i++) {
            int start = i * 7 % 500;
            assertThat(compress(response, start, start + 3)).isNotNull();
            assertThat(compress(response, start, start + 1)).isNotNull();
        }

        for (int start = 0; start < 500; start++) {
            boolean isKept = response.piece(start, start + 3) != null;
            assertThat(isKept).isTrue();
            assertThat(response.piece(start, start + 2)).isNull();
        }
        response.release();
    }

    @Test
    void spansBeyondTheBoundAreNotKept() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var response = house.found();
        int kept = 0;

        for (int i = 0; i < 2 * Pieces.MAX_PIECES; i++) {
            kept += compress(response, i / 10, 20 + i / 10 + i % 10) == null ? 0 : 1;
        }

        assertThat(kept).isEqualTo(Pieces.MAX_PIECES);
        response.release();
    }

    @Test
    void longPieceIsMadeAsideByOneOfThoseWhoWantIt() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var response = house.found();

        assertThat(compressing.compress(response, 0, 100, 99)).isNull();
        assertThat(compressing.compress(response, 0, 100, 99)).isNull();
        assertThat(aside).hasSize(1);
        response.release();
        aside.remove().run();

        var found = house.found();
        assertThat(found.piece(0, 100)).isNotNull();
        found.release();
    }

    @Test
    void pieceMadeAsideOfWhatHasLeftTheStoreIsLetGoWithIt() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var response = house.found();
        compressing.compress(response, 0, 100, 99);
        response.release();

        house.store.invalidate(CacheHouse.PAGE, CacheHouse.request("POST"));
        assertThat(house.transit.usedBytes()).isPositive();
        aside.remove().run();

        assertThat(house.transit.usedBytes()).isZero();
    }

    @Test
    void whatHasLeftTheStoreIsNotCompressed() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var response = house.found();
        house.store.invalidate(CacheHouse.PAGE, CacheHouse.request("POST"));

        assertThat(compress(response, 0, 100)).isNull();
        response.release();
    }

    @Test
    void softPurgeKeepsPieces() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        var before = house.found();
        var made = compress(before, 0, 100);
        before.release();

        house.store.purge(Purge.of(CacheHouse.PAGE), true);

        var after = house.found();
        assertThat(after.piece(0, 100)).isNotNull().isSameAs(made);
        after.release();
    }

    @Test
    void formHasPiecesOfItsOwnWhichAreWeighedWithIt() {
        house.stored(RULES, TEXT, "Cache-Control", FRESH);
        compressWhole();
        var form = new DerivedForm.Escaped(Escape.HTML);
        var escaped =
                house.store.inForm(
                        house.found(),
                        form,
                        plain ->
                                new DerivedForm.Content(
                                        "escaped".getBytes(StandardCharsets.US_ASCII), null));
        if (escaped == null) {
            throw new AssertionError("no such form");
        }
        long before = house.store.weightBytes();

        assertThat(escaped.piece(0, 7)).isNull();
        var made = compressed(escaped, 0, 7);

        assertThat(house.store.weightBytes() - before)
                .isEqualTo(Footprint.PIECE_BYTES + made.weightBytes());
        escaped.release();
        var whole = house.found();
        assertThat(whole.piece(0, 7)).isNull();
        whole.release();
    }

    private void compressWhole() {
        var whole = house.found();
        assertThat(compress(whole, 0, TEXT.length())).isNotNull();
        whole.release();
    }

    private GzipPiece compressed(StoredResponse response, int start, int end) {
        var made = compress(response, start, end);
        if (made == null) {
            throw new AssertionError("nothing was compressed");
        }
        return made;
    }

    private @Nullable GzipPiece compress(StoredResponse response, int start, int end) {
        return compressing.compress(response, start, end, Compressing.MAX_BYTES_ON_LOOP);
    }
}
