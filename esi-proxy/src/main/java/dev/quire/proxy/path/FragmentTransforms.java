package dev.quire.proxy.path;

import dev.quire.core.expression.Escape;
import dev.quire.core.policy.StampStatus;
import dev.quire.proxy.cache.DerivedForm;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.Exchange;
import dev.quire.proxy.select.Selection;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Transforms fragments for their pages; the store caches the results. */
public final class FragmentTransforms {

    /** A longer body is not parsed on an event loop, which it would block. */
    private static final int MAX_BYTES_ON_LOOP = 16 * 1024;

    /** A longer body is not searched: a malicious one can take a second per MiB. */
    private static final int MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

    private final PageStore store;
    private final long maxBytes;
    private final LongWork longWork;

    /**
     * @param maxBytes maximum size of a decoded body
     */
    public FragmentTransforms(PageStore store, long maxBytes, LongWork longWork) {
        this.store = store;
        this.maxBytes = maxBytes;
        this.longWork = longWork;
    }

    /**
     * Removes the content coding of {@code body}. A long body is decoded on a separate thread, and
     * {@code answer} is called on the loop of {@code exchange}. References pass on unless the
     * result is null.
     */
    void decoded(
            StoredResponse body, Exchange exchange, Consumer<@Nullable StoredResponse> answer) {
        if (isDecodedAtOnce(body)) {
            answer.accept(store.decoded(body, maxBytes));
        } else {
            aside(
                    "decode",
                    body,
                    exchange,
                    () -> longWork.inTurn(body.key(), () -> store.decoded(body, maxBytes)),
                    answer);
        }
    }

    /** Like {@link #decoded}, but returns null if decoding takes too long for the loop. */
    @Nullable StoredResponse decodedAtOnce(StoredResponse body) {
        return isDecodedAtOnce(body) ? store.decoded(body, maxBytes) : null;
    }

    private static boolean isDecodedAtOnce(StoredResponse body) {
        return body.has(DerivedForm.Whole.DECODED) || body.length() <= MAX_BYTES_ON_LOOP;
    }

    /**
     * Returns the source of {@code document} without its stamps, which must not be disclosed to
     * clients; references pass on.
     */
    StoredResponse source(StoredResponse document) {
        var source = asItCame(document);
        return source.stampStatus() == StampStatus.STAMPED ? store.unstamped(source) : source;
    }

    /** Returns the source with its stamps. */
    StoredResponse asItCame(StoredResponse document) {
        var source = store.inForm(document, DerivedForm.Whole.SOURCE, nothing -> null);
        if (source == null) {
            throw new IllegalStateException("the source is not stored: " + document.key().url());
        }
        return source;
    }

    /** Escapes {@code body} with {@code how}; references pass on. */
    StoredResponse escaped(StoredResponse body, Escape how) {
        var escaped =
                store.inForm(
                        body,
                        new DerivedForm.Escaped(how),
                        plain -> new DerivedForm.Content(how.applied(bytesOf(plain)), null));
        if (escaped == null) {
            throw new IllegalStateException("escaping returned no result");
        }
        return escaped;
    }

    /**
     * Selects an element of {@code body}, as {@link dev.quire.core.assemble.FragmentSource#select}.
     * A long body is parsed on a separate thread, and {@code answer} is called on the loop of
     * {@code exchange}.
     */
    void select(
            StoredResponse body,
            String selector,
            Exchange exchange,
            Consumer<@Nullable StoredResponse> answer) {
        var form = new DerivedForm.Selected(selector);
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

    /**
     * Runs {@code work} on a virtual thread; a bug in it or in {@code answer} ends the exchange.
     */
    static <T extends @Nullable Object> void aside(
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

    /**
     * Returns the result of {@code done}. After a bug, releases {@code body}, which has not been
     * taken over.
     */
    private static <T extends @Nullable Object> T resultOf(
            FutureTask<T> done, StoredResponse body) {
        if (done.state() == Future.State.FAILED) {
            body.release();
            throw new IllegalStateException("cannot derive the form", done.exceptionNow());
        }
        return done.resultNow();
    }

    /** Passes on the reference of {@code whole}. */
    private @Nullable StoredResponse selected(
            StoredResponse whole, DerivedForm form, byte @Nullable [] part) {
        var selected =
                store.inForm(
                        whole,
                        form,
                        ignored -> part == null ? null : new DerivedForm.Content(part, null));
        if (selected == null) {
            whole.release();
        }
        return selected;
    }

    private static byte[] bytesOf(StoredResponse response) {
        return response.copy(0, response.length());
    }
}
