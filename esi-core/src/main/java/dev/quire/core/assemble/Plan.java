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

    /** Whether no fragment is in it: the document is its own output, less its tags. */
    public boolean isStatic() {
        return parts.stream().allMatch(Part.Text.class::isInstance);
    }

    /**
     * The plan of {@code page}.
     *
     * @param base the resource the page came from; relative references start there
     */
    public static Plan of(ParsedPage page, CacheKey base, ReferenceResolver resolver) {
        var parts = new ArrayList<Part>(page.nodes().size());
        for (var node : page.nodes()) {
            parts.add(
                    switch (node) {
                        case EsiNode.Text text -> new Part.Text(text.span());
                        case EsiNode.Include include ->
                                new Part.Fragment(
                                        resolver.resolve(include.src(), base),
                                        include.alt().map(alt -> resolver.resolve(alt, base)),
                                        include.onError(),
                                        include.at());
                    });
        }
        return new Plan(parts);
    }
}
