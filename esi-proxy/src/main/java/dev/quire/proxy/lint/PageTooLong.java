package dev.quire.proxy.lint;

import java.io.IOException;

/** Thrown if a page is longer than {@link PageDocument#MAX_BYTES}. */
final class PageTooLong extends IOException {
    private static final long serialVersionUID = 1;

    UnreadablePage asUnreadable() {
        return new UnreadablePage("is too long", "at most 8 MiB");
    }
}
