package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PurgeLogTest {
    private static final RequestHead GET = CacheHouse.get();

    private final PurgeLog log =
            new PurgeLog(new BanList(() -> Instant.EPOCH), new GroupInvalidations());
    private final StoredResponse page = StoredResponse.unknown(PAGE);

    @AfterEach
    void release() {
        page.release();
    }

    @Test
    void fetchThatBeganBeforeAPurgeIsRefusedAndALaterOneIsNot() {
        var before = log.open(GET);
        log.enter(Purge.of(PAGE), null);
        var after = log.open(GET);

        assertThat(log.unlessPurged(before, page, () -> true)).isFalse();
        assertThat(log.unlessPurged(after, page, () -> true)).isTrue();
    }

    @Test
    void purgeThatARequestHasCausedRefusesEverybodysAnswerButItsOwn() {
        var post = CacheHouse.request("POST");
        var itself = log.open(post);
        var twin = log.open(CacheHouse.request("POST"));
        log.enter(Purge.of(PAGE), post);

        assertThat(log.unlessPurged(itself, page, () -> true)).isTrue();
        assertThat(log.unlessPurged(twin, page, () -> true)).isFalse();
    }

    @Test
    void purgesAreRememberedUntilTheOldestFetchHasEnded() {
        var oldest = log.open(GET);
        log.enter(Purge.of(PAGE), null);
        var younger = log.open(GET);
        log.close(younger);
        for (int i = 0; i < 50; i++) {
            log.enter(Purge.of(key("/" + i)), null);
        }

        assertThat(log.unlessPurged(oldest, page, () -> true)).isFalse();
    }

    @Test
    void purgesThatWouldTakeTooMuchMemoryRefuseTheFetchesBeforeThem() {
        var before = log.open(GET);
        log.enter(Purge.of(PAGE), null);
        var between = log.open(GET);
        for (int i = 0; i < 2_000; i++) {
            log.enter(Purge.of(key("/" + i + "x".repeat(8_000))), CacheHouse.request("POST"));
        }
        var after = log.open(GET);
        log.enter(Purge.of(key("/other")), null);

        assertThat(log.bytes()).isLessThanOrEqualTo(KeyNotes.MAX_BYTES);
        assertThat(log.unlessPurged(before, page, () -> true)).isFalse();
        assertThat(log.unlessPurged(between, page, () -> true)).isFalse();
        assertThat(log.unlessPurged(after, page, () -> true)).isTrue();

        List.of(before, between, after).forEach(log::close);
        log.enter(Purge.of(key("/last")), null);
        assertThat(log.bytes()).isZero();
    }

    @Test
    void refusalDoesNotRunTheStore() {
        var before = log.open(GET);
        log.enter(Purge.of(PAGE), null);
        var hasRun = new AtomicBoolean();

        log.unlessPurged(
                before,
                page,
                () -> {
                    hasRun.set(true);
                    return true;
                });

        assertThat(hasRun).isFalse();
    }

    @Test
    @Timeout(30)
    void purgeWaitsForAStoreThatIsUnderWay() throws Exception {
        var epoch = log.open(GET);
        var isStored = new AtomicBoolean();
        var wasStored = new AtomicBoolean();
        var purge =
                new Thread(() -> {
                    log.enter(Purge.of(PAGE), null);
                    wasStored.set(isStored.get());
                });

        log.unlessPurged(
                epoch,
                page,
                () -> {
                    purge.start();
                    while (purge.getState() != Thread.State.WAITING && purge.isAlive()) {
                        Thread.onSpinWait();
                    }
                    isStored.set(true);
                    return true;
                });
        purge.join();

        assertThat(wasStored).isTrue();
    }

    private static CacheKey key(String target) {
        return new CacheKey(Scheme.HTTP, "news.example", target);
    }
}
