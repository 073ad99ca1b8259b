package dev.quire.core.assemble;

import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a page is made of, in document order. A page without expressions has one plan for all
 * requests, made when it is compiled.
 */
public record Plan(List<Part> parts) {

    /** One piece of the output. */
    public sealed interface Part {

        /** Bytes of the document itself. */
        record Text(Span span) implements Part {}

        /** A fragment stands here. */
        record Fragment(
                Reference src, Optional<Reference> alternative, OnError onError, Position at)
                implements Part {}
    }

    public Plan {
        parts = List.copyOf(parts);
    }

    /**
     * The plan of {@code page}. Of more includes than a page may have, those beyond are no part of
     * it, but for the first whose absence is an error: the {@link Assembler} never asks for that
     * one, and so the page is known to be incomplete at the cost of a single part.
     *
     * @param base the resource the page came from; relative references start there
     * @param maxFragments {@link Limits#maxIncludes} of the pages it will be part of
     */
    public static Plan of(
            ParsedPage page, CacheKey base, ReferenceResolver resolver, int maxFragments) {
        var parts = new ArrayList<Part>();
        int fragments = 0;
        boolean isOverrun = false;
        for (var node : page.nodes()) {
            switch (node) {
                case EsiNode.Text text -> add(parts, text.span());
                case EsiNode.Include include -> {
                    if (fragments < maxFragments) {
                        fragments++;
                        parts.add(fragment(include, base, resolver));
                    } else if (!isOverrun && include.onError() != OnError.CONTINUE) {
                        isOverrun = true;
                        parts.add(fragment(include, base, resolver));
                    }
                }
            }
        }
        return new Plan(parts);
    }

    /** Text between which an include was dropped is one part if nothing else parts it. */
    private static void add(List<Part> parts, Span span) {
        if (!parts.isEmpty()
                && parts.getLast() instanceof Part.Text(Span before)
                && before.end() == span.start()) {
            parts.removeLast();
            parts.add(new Part.Text(new Span(before.start(), span.end())));
        } else {
            parts.add(new Part.Text(span));
        }
    }

    private static Part.Fragment fragment(
            EsiNode.Include include, CacheKey base, ReferenceResolver resolver) {
        return new Part.Fragment(
                resolver.resolve(include.src(), base),
                include.alt().map(alt -> resolver.resolve(alt, base)),
                include.onError(),
                include.at());
    }
}
