package dev.quire.spring.internal.assemble;

import org.jspecify.annotations.Nullable;

/** Cuts one element out of a complete document: {@code select} of an include. */
public interface FragmentSelection {

    /** For applications without jsoup. */
    FragmentSelection NONE =
            new FragmentSelection() {

                private final LogOnce warnings = LogOnce.of(FragmentSelection.class);

                @Override
                public byte @Nullable [] first(byte[] document, String selector) {
                    warnings.warn(
                            "select=\"" + selector + "\"",
                            "selects nothing: jsoup is not on the class path (expected org.jsoup:jsoup)");
                    return null;
                }
            };

    /**
     * Returns the bytes of the first element of {@code document} that matches {@code selector},
     * including its tags, unchanged; null if no element matches or the selector is malformed.
     *
     * @param selector a CSS selector, one char per byte
     */
    byte @Nullable [] first(byte[] document, String selector);
}
