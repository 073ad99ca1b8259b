package dev.quire.proxy.cache;

import dev.quire.core.assemble.CompiledPage;
import dev.quire.core.expression.Escape;
import org.jspecify.annotations.Nullable;

/** A form that can be derived from a stored response, or from another form. */
public sealed interface DerivedForm {

    /** Forms without parameters. */
    enum Whole implements DerivedForm {
        /** An ESI document before processing, including its tags. */
        SOURCE,
        /** SOURCE without the stamps of its tags. */
        UNSTAMPED,
        /** Another response, parsed as an ESI document. */
        DOCUMENT,
        /** The body without its content coding. */
        DECODED
    }

    /** The body escaped for the place where it is inserted. */
    record Escaped(Escape how) implements DerivedForm {}

    /** The first element that a CSS selector matches. */
    record Selected(String selector) implements DerivedForm {}

    /** The contents of a form. */
    final class Content {
        private final byte[] bytes;
        private final @Nullable CompiledPage compiled;

        /**
         * Takes over {@code bytes}.
         *
         * @param compiled null if it is not an ESI document
         */
        public Content(byte[] bytes, @Nullable CompiledPage compiled) {
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

    /** Derives a form from a response. */
    interface Maker {
        /** Returns the form of {@code response}, or null; must not release {@code response}. */
        @Nullable Content make(StoredResponse response);
    }
}
