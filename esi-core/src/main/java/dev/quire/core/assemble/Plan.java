package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Scope;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import dev.quire.core.parse.Subrequest.Replacement;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parts of a document for one request, in document order, as far as planned. */
record Plan(List<Part> parts) {

    /*
     * Heap sizes of objects, with references of four bytes, including their places in lists, but
     * without texts of variable length. A test of the proxy compares these numbers with
     * measurements.
     */

    private static final int PAGE_BYTES = 192;
    private static final int PART_BYTES = 48;
    private static final int FRAGMENT_BYTES = 120;
    private static final int ALTERNATIVE_BYTES = 104;

    /** Returns the heap size in bytes of a fixed plan and its page. */
    long heapBytes() {
        long bytes = PAGE_BYTES;
        for (var part : parts) {
            bytes += PART_BYTES;
            if (part instanceof Part.Fragment fragment) {
                bytes += FRAGMENT_BYTES + fragment.src().length();
                bytes += fragment.alternative().map(Plan::alternativeBytes).orElse(0L);
            }
        }
        return bytes;
    }

    private static long alternativeBytes(Reference alternative) {
        return (long) ALTERNATIVE_BYTES + alternative.length();
    }

    /** One piece of the output. */
    sealed interface Part {

        /** Bytes of the document itself. */
        record Bytes(Span span) implements Part {}

        /** Evaluated text, one char for each byte. */
        record Text(String text) implements Part {
            byte[] bytes() {
                return text.getBytes(StandardCharsets.ISO_8859_1);
            }
        }

        /**
         * A fragment to be included.
         *
         * @param terms of {@code src}
         * @param alternativeTerms of {@code alternative}: data for one host is not sent to another
         * @param region the region of it to include; empty for all
         * @param select a CSS selector of the part of it to include; empty for all
         * @param confidentiality of the values in its address: the fragment keeps that level
         * @param replacing the replacements of its regions
         */
        record Fragment(
                Reference src,
                FragmentTerms terms,
                Optional<Reference> alternative,
                FragmentTerms alternativeTerms,
                OnError onError,
                Optional<String> region,
                Optional<String> select,
                Optional<Escape> escape,
                boolean isPrimary,
                Value.Source confidentiality,
                Optional<Replacing> replacing,
                Position at)
                implements Part {

            /** Whether its text is changed before it is written, so that it cannot flow. */
            boolean isTransformed() {
                return select.isPresent() || escape.isPresent() || region.isPresent();
            }
        }

        /**
         * A document that is processed in place.
         *
         * @param ownNamespaceFirst whether it is processed on its own before
         */
        record Evaluated(Fragment fragment, boolean ownNamespaceFirst) implements Part {}

        /**
         * Content that is included completely or not at all.
         *
         * @param planner of the attempt
         * @param begun its parts planned so far
         * @param before the namespace before the attempt
         * @param isAwaited whether the enclosing planner waits for the outcome
         */
        record Attempt(
                EsiNode.Try node, Planner planner, Plan begun, Scope before, boolean isAwaited)
                implements Part {}

        /** A region of an included document that its include replaces. */
        record Replaced(Replacing replacing, List<EsiNode> content) implements Part {}

        /** From here on, includes of the key of {@code document} get this document. */
        record Inline(CompiledPage.Inline document) implements Part {}
    }

    /**
     * The replacements that an include has for regions of its fragment.
     *
     * @param of the including document
     * @param namespace of that document at the include
     */
    record Replacing(CompiledPage of, Scope namespace, List<Replacement> contents) {

        /** Returns the replacement of {@code region}, or null. */
        @Nullable List<EsiNode> contentFor(String region) {
            for (var replacement : contents) {
                if (replacement.region().equals(region)) {
                    return replacement.content();
                }
            }
            return null;
        }
    }
}
