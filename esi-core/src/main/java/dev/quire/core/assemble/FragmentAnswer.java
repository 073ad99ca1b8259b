package dev.quire.core.assemble;

/**
 * The result of requesting a fragment.
 *
 * @param <B> how complete bodies are represented
 */
public sealed interface FragmentAnswer<B extends PartBody> {

    /** The complete fragment; the receiver owns one reference of {@code body}. */
    record Whole<B extends PartBody>(B body) implements FragmentAnswer<B> {}

    /** A fragment too large to be buffered: its body is delivered once its turn has come. */
    record Flowing<B extends PartBody>(FragmentStream stream) implements FragmentAnswer<B> {}

    /** The fragment failed. */
    record Failed<B extends PartBody>(Failure failure) implements FragmentAnswer<B> {}

    /** Releases or cancels its content. */
    default void discard() {
        switch (this) {
            case Whole<B> whole -> whole.body().release();
            case Flowing<B> flowing -> flowing.stream().cancel();
            case Failed<B> ignored -> {}
        }
    }
}
