package dev.quire.proxy;

import dev.quire.core.expression.Escape;
import dev.quire.proxy.cache.Form;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.select.Selection;
import org.jspecify.annotations.Nullable;

/** Makes of fragments what a page wants in their place; the store keeps what comes of it. */
final class Reshaping {
    private final PageStore store;
    private final long maxBytes;

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

    /** What {@code selector} selects of {@code body}; references pass on unless it is null. */
    @Nullable StoredResponse selected(StoredResponse body, String selector) {
        return store.inForm(
                body,
                new Form.Selected(selector),
                whole -> {
                    var bytes = Selection.first(bytesOf(whole), selector);
                    return bytes == null ? null : new Form.Shape(bytes, null);
                });
    }

    private static byte[] bytesOf(StoredResponse response) {
        return response.copy(0, response.length());
    }
}
