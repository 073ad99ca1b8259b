package dev.quire.core.assemble;

/**
 * What came of asking for a fragment.
 *
 * @param <B> how whole bodies are held
 */
public sealed interface FragmentAnswer<B extends PartBody> {

    /** The fragment, whole; the receiver owns one reference of {@code body}. */
    record Whole<B extends PartBody>(B body) implements FragmentAnswer<B> {}

    /** A fragment too large to be held: it flows once its turn has come. */
    record Flowing<B extends PartBody>(FragmentStream stream) implements FragmentAnswer<B> {}

    /** No fragment. */
    record Failed<B extends PartBody>(Failure failure) implements FragmentAnswer<B> {}

    /** Releases or cancels what it holds. */
    default void discard() {
        switch (this) {
            case Whole<B> whole -> whole.body().release();
            case Flowing<B> flowing -> flowing.stream().cancel();
            case Failed<B> ignored -> {}
        }
    }
}
