package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HintNotesTest {
    private static final String LINK = "</" + "a".repeat(2_000) + ".css>; rel=preload";
    private static final Fields LANGUAGE =
            Fields.of("Cache-Control", "max-age=60", "Vary", "Accept-Language", "Link", LINK);
    private static final int URLS = 10_000;

    private final Larder larder = new Larder(1L << 30).rememberingHints();

    @AfterEach
    void close() {
        larder.close();
    }

    @Test
    void manyLinksTakeLittleMemory() {
        var fields = Fields.of("Cache-Control", "max-age=60", "Link", LINK);
        for (int i = 0; i < URLS; i++) {
            larder.store("/" + i, Fields.EMPTY, fields, new byte[0]);
        }

        long noted = IntStream.range(0, URLS).filter(i -> isNoted("/" + i, Fields.EMPTY)).count();

        assertThat(noted * LINK.length()).isBetween(6L << 20, 8L << 20);
    }

    @Test
    void oldestVariantsAreDropped() {
        for (int i = 0; i <= HintNotes.MAX_VARIANTS; i++) {
            larder.store("/", language(i), LANGUAGE, new byte[0]);
        }

        assertThat(isNoted("/", language(0))).isFalse();
        assertThat(isNoted("/", language(1))).isTrue();
        assertThat(isNoted("/", language(HintNotes.MAX_VARIANTS))).isTrue();
    }

    private static Fields language(int i) {
        return Fields.of("Accept-Language", "x-" + i);
    }

    private boolean isNoted(String target, Fields fields) {
        var head = new RequestHead("GET", Scheme.HTTP, "www.news.example", target, fields);
        return !larder.store
                .hints()
                .of(CacheKey.of(head), SentRequest.of(head)::isSelectedBy)
                .isEmpty();
    }
}
