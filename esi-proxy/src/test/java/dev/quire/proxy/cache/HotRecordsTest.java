package dev.quire.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.rule.ResponseRules;
import dev.quire.proxy.disk.DiskTier;
import dev.quire.proxy.route.EsiProcessing;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests find a response in memory, so its record on disk is never found. */
class HotRecordsTest {
    private static final RouteCacheRules RULES =
            CacheHouse.rules(EsiProcessing.ON).recorded(ResponseRules.NONE, CacheHouse.REQUESTS);
    private static final String CACHE = "Cache-Control";
    private static final String LONG = "max-age=1000";
    private static final String LANGUAGE = "Accept-Language";
    private static final Duration END = Duration.ofSeconds(5);

    @TempDir Path directory;
    private final CacheHouse house = new CacheHouse();
    private DiskTier disk;
    private RecordLog log;

    @BeforeEach
    void open() throws IOException {
        use(house);
    }

    private void use(CacheHouse by) throws IOException {
        disk =
                DiskTier.open(
                        new DiskTier.Terms(directory, 16 << 20, 1 << 20),
                        by.store.invalidations(),
                        () -> Long.MAX_VALUE,
                        RecordRetest.of(by.store, by.time),
                        by.time);
        log = disk.load();
        by.tier.limit(
                new RecordTier.Terms(
                        Duration.ofSeconds(10),
                        64 << 20,
                        1 << 20,
                        2,
                        Duration.ofSeconds(5),
                        1 << 20,
                        1 << 20));
        by.tier.expect(reason -> {});
        by.tier.use(log);
    }

    @AfterEach
    void close() {
        end(house);
        house.close();
    }

    private void end(CacheHouse by) {
        by.tier.end(END);
        by.tier.close();
        disk.close();
    }

    /** Appends records until all files that there are now are evicted. */
    private void replaceFiles() {
        long wanted = disk.stats().log().evicted() + disk.stats().log().segments();
        long number = 0;
        while (disk.stats().log().evicted() < wanted) {
            long next = number++;
            house.tier.inOrder(() ->
                    log.append(
                            new RecordHash(next, wanted),
                            0,
                            Long.MAX_VALUE,
                            Unpooled.wrappedBuffer(new byte[100_000])));
            TierRest.awaitWriter(house);
        }
    }

    private void writeAll(int count) {
        house.time.pass(RecordWriter.WAIT);
        TierRest.await(() -> house.tier.count(TierWrite.STORED) == count);
        TierRest.settle(house);
    }

    /** Returns what another process finds in the directory. */
    private @Nullable String foundAfterRestart(String... fields) throws IOException {
        house.tier.end(END);
        disk.close();
        try (var later = new CacheHouse()) {
            // Its clock is not behind that of the first.
            later.time.pass(Duration.ofMinutes(1));
            use(later);
            var taker = later.reader(later.here, fields).looking(() -> later.textOf(fields));
            boolean isSearched =
                    later.here.call(() ->
                            later.tier.search(
                                    CacheHouse.PAGE,
                                    RULES,
                                    UnaryOperator.<CacheKey>identity(),
                                    taker));
            if (isSearched) {
                TierRest.await(() -> !taker.heard().isEmpty());
            }
            end(later);
            use(house);
            return isSearched ? taker.heard().getFirst() : null;
        }
    }

    @Test
    void recordOfAResponseInMemoryOutlivesItsFile() throws IOException {
        house.stored(RULES, "text", CACHE, LONG);
        writeAll(1);
        for (int rounds = 0; rounds < 3; rounds++) {
            replaceFiles();
        }

        assertThat(foundAfterRestart()).isEqualTo("found text");
    }

    @Test
    void recordOfAResponseThatLeftTheMemoryGoesWithItsFile() throws IOException {
        house.stored(RULES, "text", CACHE, LONG);
        writeAll(1);
        var found = house.found();
        house.store.drop(found);
        found.release();
        replaceFiles();

        assertThat(foundAfterRestart()).isNull();
    }

    @Test
    void recordsOfVariantsInMemoryOutliveTheirFileWithTheirList() throws IOException {
        for (var language : new String[] {"de", "fr"}) {
            var request = Fields.of(LANGUAGE, language);
            house.stored(RULES, language, request, CACHE, LONG, "Vary", LANGUAGE);
        }
        writeAll(2);
        for (int rounds = 0; rounds < 3; rounds++) {
            replaceFiles();
        }

        assertThat(foundAfterRestart(LANGUAGE, "fr")).isEqualTo("found fr");
        assertThat(foundAfterRestart(LANGUAGE, "de")).isEqualTo("found de");
    }

    @Test
    void recordOfAResponseWithoutVaryOutlivesItsFileBesideAListOfVariants() throws IOException {
        var german = Fields.of(LANGUAGE, "de");
        house.stored(RULES, "old", german, CACHE, LONG, "Vary", LANGUAGE);
        writeAll(1);
        house.time.pass(Duration.ofSeconds(1));
        house.stored(RULES, "new", CACHE, LONG);
        writeAll(2);
        for (int rounds = 0; rounds < 3; rounds++) {
            replaceFiles();
        }

        assertThat(foundAfterRestart(LANGUAGE, "de")).isEqualTo("found new");
    }

    @Test
    void recordOfAResponseThatIsPurgedButNotDroppedYetGoesWithItsFile() throws IOException {
        house.stored(RULES, "text", CACHE, LONG, "Cache-Tag", "news");
        writeAll(1);
        var tag = new Purge(Set.of(), Set.of("news"), Set.of(), List.of());
        house.store.purgeUncounted(tag, false);
        replaceFiles();

        assertThat(disk.stats().log().reinserted()).isZero();
        assertThat(foundAfterRestart()).isNull();
    }
}
