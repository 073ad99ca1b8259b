package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.expression.Escape;
import org.jspecify.annotations.Nullable;

/** What else can be made of a response that is kept. Forms can be made of forms. */
public sealed interface Form {

    /** Forms that need no more words. */
    enum Whole implements Form {
        /** An ESI document as it came, tags and all. */
        SOURCE,
        /** The same without the stamps of its tags. */
        UNSTAMPED,
        /** What did not ask for it, read as an ESI document. */
        DOCUMENT,
        /** Without its content coding. */
        DECODED
    }

    /** Written so that it cannot leave the place where it stands. */
    record Escaped(Escape how) implements Form {}

    /** The first element that a CSS selector selects. */
    record Selected(String selector) implements Form {}

    /** What a form is. */
    final class Shape {
        private final byte[] bytes;
        private final @Nullable CompiledPage compiled;

        /**
         * Takes over {@code bytes}.
         *
         * @param compiled null if it is no ESI document
         */
        public Shape(byte[] bytes, @Nullable CompiledPage compiled) {
            this.bytes = bytes;
            this.compiled = compiled;
        }

        byte[] bytes() {
            return bytes;
        }

        @Nullable CompiledPage compiled() {
            return compiled;
        }
    }

    /** Makes a form of a response. */
    interface Maker {
        /** The form of {@code response}, which it must not release; null if there is none. */
        @Nullable Shape make(StoredResponse response);
    }
}
