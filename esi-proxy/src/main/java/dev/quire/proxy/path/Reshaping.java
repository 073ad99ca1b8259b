package dev.quire.proxy.path;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.Verdict;
import dev.quire.proxy.cache.Form;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.select.Selection;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes of fragments what a page wants in their place; the store keeps what comes of it. */
public final class Reshaping {

    /** A longer body is not parsed on an event loop: it would keep everybody waiting. */
    private static final int MAX_BYTES_ON_LOOP = 16 * 1024;

    /** In a longer body nothing is looked for: made to hurt, a MiB can take a second. */
    private static final int MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

    private final PageStore store;
    private final long maxBytes;

    /** Held while a long body is decoded; never on an event loop. */
    private final Lock decoding = new ReentrantLock();

    /**
     * @param maxBytes what a body may come to once its content coding is undone
     */
    public Reshaping(PageStore store, long maxBytes) {
        this.store = store;
        this.maxBytes = maxBytes;
    }

    /**
     * {@code body} without its content coding, for {@code exchange}: what is long is decoded on a
     * thread of its own, and answered on the exchange's loop. One at a time, since each may come to
     * all that an object may: whoever waits meanwhile mostly finds it done. References pass on,
     * unless the answer is null.
     */
    void decoded(
            StoredResponse body, Exchange exchange, Consumer<@Nullable StoredResponse> answer) {
        if (isDecodedAtOnce(body)) {
            answer.accept(store.decoded(body, maxBytes));
        } else {
            aside("decode", body, exchange, () -> decodedInTurn(body), answer);
        }
    }

    /** The same if nobody has to wait for it; null if somebody would. */
    @Nullable StoredResponse decodedAtOnce(StoredResponse body) {
        return isDecodedAtOnce(body) ? store.decoded(body, maxBytes) : null;
    }

    private static boolean isDecodedAtOnce(StoredResponse body) {
        return body.has(Form.Whole.DECODED) || body.length() <= MAX_BYTES_ON_LOOP;
    }

    private @Nullable StoredResponse decodedInTurn(StoredResponse body) {
        decoding.lock();
        try {
            return store.decoded(body, maxBytes);
        } finally {
            decoding.unlock();
        }
    }

    /**
     * The ESI document as it came, of which {@code document} is made, but for its stamps, which no
     * client may see; references pass on.
     */
    StoredResponse source(StoredResponse document) {
        var source = asItCame(document);
        return source.verdict() == Verdict.STAMPED ? store.unstamped(source) : source;
    }

    /** The same with its stamps. */
    StoredResponse asItCame(StoredResponse document) {
        var source = store.inForm(document, Form.Whole.SOURCE, nothing -> null);
        if (source == null) {
            throw new IllegalStateException("the source is not stored: " + document.key().url());
        }
        return source;
    }

    /** {@code body} written by {@code how}; references pass on. */
    StoredResponse escaped(StoredResponse body, Escape how) {
        var escaped =
                store.inForm(
                        body,
                        new Form.Escaped(how),
                        plain -> new Form.Shape(how.applied(bytesOf(plain)), null));
        if (escaped == null) {
            throw new IllegalStateException("escaping returned no result");
        }
        return escaped;
    }

    /**
     * What {@code selector} selects of {@code body}, as {@link
     * dev.quire.core.assemble.FragmentSource#select}: what is long is parsed on a thread of its
     * own, and answered on the loop of {@code exchange}.
     */
    void select(
            StoredResponse body,
            String selector,
            Exchange exchange,
            Consumer<@Nullable StoredResponse> answer) {
        var form = new Form.Selected(selector);
        if (body.length() > MAX_SEARCHED_BYTES) {
            body.release();
            answer.accept(null);
        } else if (body.has(form)) {
            answer.accept(selected(body, form, null));
        } else if (body.length() <= MAX_BYTES_ON_LOOP) {
            answer.accept(selected(body, form, Selection.first(bytesOf(body), selector)));
        } else {
            var bytes = bytesOf(body);
            aside(
                    "select",
                    body,
                    exchange,
                    () -> Selection.first(bytes, selector),
                    part -> answer.accept(selected(body, form, part)));
        }
    }

    /** Does {@code work} on a thread of its own; a bug in it, or behind it, ends the exchange. */
    private static <T extends @Nullable Object> void aside(
            String name,
            StoredResponse body,
            Exchange exchange,
            Supplier<T> work,
            Consumer<T> answer) {
        Thread.ofVirtual()
                .name(name)
                .start(() -> {
                    var done = new FutureTask<>(work::get);
                    done.run();
                    exchange.loop()
                            .execute(
                                    () -> exchange.take(() -> answer.accept(resultOf(done, body))));
                });
    }

    /** What {@code done} has come to; if that is a bug, nobody has taken over {@code body}. */
    private static <T extends @Nullable Object> T resultOf(
            FutureTask<T> done, StoredResponse body) {
        if (done.state() == Future.State.FAILED) {
            body.release();
            throw new IllegalStateException("cannot derive the form", done.exceptionNow());
        }
        return done.resultNow();
    }

    /** The reference of {@code whole} passes on. */
    private @Nullable StoredResponse selected(
            StoredResponse whole, Form form, byte @Nullable [] part) {
        var selected =
                store.inForm(
                        whole, form, ignored -> part == null ? null : new Form.Shape(part, null));
        if (selected == null) {
            whole.release();
        }
        return selected;
    }

    private static byte[] bytesOf(StoredResponse response) {
        return response.copy(0, response.length());
    }
}
