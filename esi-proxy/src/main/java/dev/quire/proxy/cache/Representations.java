package dev.quire.proxy.cache;

import java.util.List;

/** The representations of a body other than the stored bytes. */
sealed interface Representations permits DerivedForms, Representations.Derivation, FileBody {

    /** The compressed pieces of the body. */
    Pieces pieces();

    /**
     * The relation of a form to the stored response from which it was derived.
     *
     * @param whole the stored response; the form holds a reference to it and uses its memory
     * @param way the derivations from it, in order
     * @param pieces the compressed pieces of the form
     */
    record Derivation(StoredResponse whole, List<DerivedForm> way, Pieces pieces)
            implements Representations {}
}
