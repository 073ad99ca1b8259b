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

/** What a document comes to for one request: its parts in document order, as far as it is known. */
record Plan(List<Part> parts) {

    /*
     * What objects cost on the heap, where references take four bytes, with their places in lists,
     * but for texts of any length. A test of the proxy holds these numbers against what is there.
     */

    private static final int PAGE_BYTES = 192;
    private static final int PART_BYTES = 48;
    private static final int FRAGMENT_BYTES = 120;
    private static final int ALTERNATIVE_BYTES = 104;

    /** What it takes on the heap, with the page whose one plan it is, in bytes. */
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
         * A fragment stands here.
         *
         * @param terms of {@code src}
         * @param alternativeTerms of {@code alternative}: what is meant for one host is told to no
         *     other
         * @param region the only region of it that is wanted
         * @param select a CSS selector: the only part of it that is wanted
         * @param confidentiality of the values in its address: what it learns from that address is
         *     no more public
         * @param replacing what stands for regions of it
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

            /** Whether it is written otherwise than it comes, and so cannot flow. */
            boolean isTransformed() {
                return select.isPresent() || escape.isPresent() || region.isPresent();
            }
        }

        /**
         * A document is processed as if it stood here.
         *
         * @param ownNamespaceFirst whether it is processed by itself before
         */
        record Evaluated(Fragment fragment, boolean ownNamespaceFirst) implements Part {}

        /**
         * Stands here as a whole or not at all.
         *
         * @param planner of what is attempted
         * @param begun its parts, as far as it got
         * @param before the namespace as it was before
         * @param isAwaited whether the planner that made this goes on only once it is decided
         */
        record Attempt(
                EsiNode.Try node, Planner planner, Plan begun, Scope before, boolean isAwaited)
                implements Part {}

        /** A region of an included document, for which its include has something else. */
        record Replaced(Replacing replacing, List<EsiNode> content) implements Part {}

        /** From here on, {@code key} is what {@code document} says. */
        record Inline(CompiledPage.Inline document) implements Part {}
    }

    /**
     * What an include puts in place of regions of its fragment.
     *
     * @param of the document that includes
     * @param namespace of that document, as it was there
     */
    record Replacing(CompiledPage of, Scope namespace, List<Replacement> contents) {

        /** What stands for {@code region}, or null. */
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
