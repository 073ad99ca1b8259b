package dev.quire.spring;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The application as its own client. Shared by all requests.
 *
 * <p>A page that waits for its fragments holds a thread of the server, and each of them needs one.
 * So at most half of the threads may wait: the others never do, and fragments, which assemble
 * nothing, always come to their turn. A page that is refused is assembled by dispatch.
 *
 * <p>A request is known as ours by a word that is drawn for it, is told to nobody else, and counts
 * once.
 */
final class Loopback {

    /** The field that carries the word. */
    static final String FIELD = "Quire-Loopback";

    private static final int BYTES_OF_WORD = 16;

    /** Enough where threads cost nothing. */
    private static final int MOST_PAGES = 1000;

    private final OwnServer server;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, LoopbackPage> asking = new ConcurrentHashMap<>();
    private volatile @Nullable Semaphore pages;

    Loopback(OwnServer server) {
        this.server = server;
    }

    /** Leave for one page to wait. */
    static final class Permit implements AutoCloseable {

        private final Semaphore pages;

        private Permit(Semaphore pages) {
            this.pages = pages;
        }

        @Override
        public void close() {
            pages.release();
        }
    }

    /** Where to connect to, or null if that is not known. */
    @Nullable InetSocketAddress address() {
        return server.address();
    }

    /** Leave to wait, or null if too many pages do. */
    @Nullable Permit permit() {
        var all = pages();
        return all.tryAcquire() ? new Permit(all) : null;
    }

    private Semaphore pages() {
        var all = pages;
        if (all == null) {
            synchronized (this) {
                all = pages;
                if (all == null) {
                    all = new Semaphore(Math.min(server.mostThreads() / 2, MOST_PAGES));
                    pages = all;
                }
            }
        }
        return all;
    }

    /** A new word, by which a request for a fragment of {@code page} will be known. */
    String expect(LoopbackPage page) {
        var bytes = new byte[BYTES_OF_WORD];
        random.nextBytes(bytes);
        var word = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        asking.put(word, page);
        return word;
    }

    /** The page on whose behalf a request with this word comes, or null; a word counts once. */
    @Nullable LoopbackPage claim(String word) {
        return asking.remove(word);
    }

    /** The word counts no more, should it not have come. */
    void forget(String word) {
        asking.remove(word);
    }
}
