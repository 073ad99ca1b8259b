package dev.quire.proxy;

import dev.quire.core.expression.Escape;
import dev.quire.proxy.cache.Form;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.select.Selection;
import io.netty.channel.EventLoop;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes of fragments what a page wants in their place; the store keeps what comes of it. */
final class Reshaping {

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
    Reshaping(PageStore store, long maxBytes) {
        this.store = store;
        this.maxBytes = maxBytes;
    }

    /** {@code body} without its content coding; references pass on unless it is null. */
    @Nullable StoredResponse decoded(StoredResponse body) {
        return store.decoded(body, maxBytes);
    }

    /**
     * The same for a client: what is long is decoded on a thread of its own, and answered on {@code
     * loop}. One at a time, since each may come to all that an object may: whoever waits meanwhile
     * mostly finds it done.
     */
    void decoded(StoredResponse body, EventLoop loop, Consumer<@Nullable StoredResponse> answer) {
        if (body.has(Form.Whole.DECODED) || body.length() <= MAX_BYTES_ON_LOOP) {
            answer.accept(decoded(body));
            return;
        }
        Thread.ofVirtual()
                .name("decode")
                .start(() -> {
                    var plain = decodedInTurn(body);
                    loop.execute(() -> answer.accept(plain));
                });
    }

    private @Nullable StoredResponse decodedInTurn(StoredResponse body) {
        decoding.lock();
        try {
            return decoded(body);
        } finally {
            decoding.unlock();
        }
    }

    /** {@code body} written by {@code how}; references pass on. */
    StoredResponse escaped(StoredResponse body, Escape how) {
        var escaped =
                store.inForm(
                        body,
                        new Form.Escaped(how),
                        plain -> new Form.Shape(how.applied(bytesOf(plain)), null));
        if (escaped == null) {
            throw new IllegalStateException("every text can be escaped");
        }
        return escaped;
    }

    /**
     * What {@code selector} selects of {@code body}, as {@link
     * dev.quire.core.assemble.FragmentSource#select}: what is long is parsed on a thread of its
     * own, and answered on {@code loop}.
     */
    void select(
            StoredResponse body,
            String selector,
            EventLoop loop,
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
            Thread.ofVirtual()
                    .name("select")
                    .start(() -> {
                        var part = Selection.first(bytes, selector);
                        loop.execute(() -> answer.accept(selected(body, form, part)));
                    });
        }
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
