package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import java.util.List;
import java.util.Optional;

/** What a page is made of, in document order: what comes of evaluating it for one request. */
record Plan(List<Part> parts) {

    /** One piece of the output. */
    sealed interface Part {

        /** Bytes of the document itself. */
        record Bytes(Span span) implements Part {}

        /** Evaluated text. */
        record Text(byte[] text) implements Part {}

        /**
         * A fragment stands here.
         *
         * @param region the only region of it that is wanted
         * @param select a CSS selector: the only part of it that is wanted
         */
        record Fragment(
                Reference src,
                Optional<Reference> alternative,
                OnError onError,
                FragmentTerms terms,
                Optional<String> region,
                Optional<String> select,
                Optional<Escape> escape,
                boolean isPrimary,
                Position at)
                implements Part {}
    }

    Plan {
        parts = List.copyOf(parts);
    }
}
