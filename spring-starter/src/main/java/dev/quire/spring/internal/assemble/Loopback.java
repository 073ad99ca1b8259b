package dev.quire.spring.internal.assemble;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The application as its own HTTP client. Shared by all requests.
 *
 * <p>A page that waits for its fragments blocks a thread of the server, and each fragment needs one
 * too. So at most half of the threads may wait: the others never wait, and fragments, which
 * assemble nothing, always make progress. A page without a permit is assembled by dispatch.
 *
 * <p>A loopback request is recognised by a random token that is drawn for it, kept secret, and
 * valid once.
 */
public final class Loopback {

    /** The request field with the token. */
    public static final String FIELD = "Quire-Loopback";

    private static final int BYTES_OF_WORD = 16;

    /** A sufficient limit for virtual threads. */
    private static final int MOST_PAGES = 1000;

    private final OwnServer server;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, LoopbackPage> pagesByWord = new ConcurrentHashMap<>();
    private volatile @Nullable Semaphore pages;

    public Loopback(OwnServer server) {
        this.server = server;
    }

    /** A permit for one page to wait. */
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

    /** Returns the address to connect to, or null if it is unknown. */
    @Nullable InetSocketAddress address() {
        return server.address();
    }

    /** Returns a permit to wait, or null if too many pages already wait. */
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

    /** Returns a new token for a request for a fragment of {@code page}. */
    String expect(LoopbackPage page) {
        var bytes = new byte[BYTES_OF_WORD];
        random.nextBytes(bytes);
        var word = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        pagesByWord.put(word, page);
        return word;
    }

    /** Returns the page of a request with this token, or null; a token is valid once. */
    @Nullable LoopbackPage claim(String word) {
        return pagesByWord.remove(word);
    }

    /** Invalidates the token if it was not used. */
    void forget(String word) {
        pagesByWord.remove(word);
    }
}
