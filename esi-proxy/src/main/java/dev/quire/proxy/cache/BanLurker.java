package dev.quire.proxy.cache;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Walks through the store on a virtual thread of its own while bans stand: drops what they hide and
 * completes the bans nothing is left for. Slow on purpose; what it has not come to yet is tested
 * when it is asked for.
 */
public final class BanLurker implements AutoCloseable {

    /** How many keys it looks at before it rests. */
    private static final int KEYS_AT_A_TIME = 256;

    private static final long REST_MILLIS = 1;

    /** How long it waits for the fetches that began before a ban. */
    private static final long PAUSE_MILLIS = 1_000;

    private final PageStore store;
    private final Semaphore woken = new Semaphore(0);
    private @Nullable Thread thread;

    public BanLurker(PageStore store) {
        this.store = store;
    }

    /** Begins; once. */
    public void start() {
        thread = Thread.ofVirtual().name("quire-ban-lurker").start(this::lurk);
    }

    /** A ban has been made. */
    public void wake() {
        woken.release();
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void lurk() {
        try {
            while (true) {
                woken.acquire();
                woken.drainPermits();
                while (store.standingBans() > 0) {
                    store.sweep(KEYS_AT_A_TIME, () -> TimeUnit.MILLISECONDS.sleep(REST_MILLIS));
                    woken.tryAcquire(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }
}
