package dev.quire.proxy.cache;

import static dev.quire.proxy.cache.CacheHouse.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PurgeLogTest {
    private final PurgeLog log = new PurgeLog(new BanList(() -> Instant.EPOCH));
    private final StoredResponse page = StoredResponse.unknown(PAGE);

    @AfterEach
    void release() {
        page.release();
    }

    @Test
    void fetchThatBeganBeforeAPurgeIsRefusedAndALaterOneIsNot() {
        var before = log.open();
        log.enter(Purge.of(PAGE));
        var after = log.open();

        assertThat(log.unlessPurged(before, page, () -> true)).isFalse();
        assertThat(log.unlessPurged(after, page, () -> true)).isTrue();
    }

    @Test
    void purgesAreRememberedUntilTheOldestFetchHasEnded() {
        var oldest = log.open();
        log.enter(Purge.of(PAGE));
        var younger = log.open();
        log.close(younger);
        for (int i = 0; i < 50; i++) {
            log.enter(Purge.of(new CacheKey(Scheme.HTTP, "news.example", "/" + i)));
        }

        assertThat(log.unlessPurged(oldest, page, () -> true)).isFalse();
    }

    @Test
    void refusalDoesNotRunTheStore() {
        var before = log.open();
        log.enter(Purge.of(PAGE));
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
        var epoch = log.open();
        var isStored = new AtomicBoolean();
        var wasStored = new AtomicBoolean();
        var purge =
                new Thread(() -> {
                    log.enter(Purge.of(PAGE));
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
}
