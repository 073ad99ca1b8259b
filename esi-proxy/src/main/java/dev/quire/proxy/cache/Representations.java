package dev.quire.proxy.cache;

import java.util.List;

/** What there is of a body beside the bytes it is stored as. */
sealed interface Representations permits Forms, Representations.Derivation {

    /** What is compressed of the body. */
    Pieces pieces();

    /**
     * The place of a form among those of the stored response.
     *
     * @param whole the form holds a reference of it, and is made of its memory
     * @param way how the form is made of that
     * @param pieces what is compressed of the form
     */
    record Derivation(StoredResponse whole, List<Form> way, Pieces pieces)
            implements Representations {}
}
