package dev.quire.core.assemble;

import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.Optional;

/**
 * An ESI document as it is kept: parsed, its references resolved as far as they are the same in
 * every request. Immutable.
 */
public final class CompiledPage {

    private final Plan fixed;

    private CompiledPage(Plan fixed) {
        this.fixed = fixed;
    }

    /**
     * {@code page}, ready to be assembled.
     *
     * @param base the resource the page came from; relative references start there
     * @param maxFragments {@link Limits#maxIncludes} of the pages it will be part of
     */
    public static CompiledPage of(
            ParsedPage page, CacheKey base, ReferenceResolver resolver, int maxFragments) {
        var parts = new ArrayList<Plan.Part>();
        for (var node : page.nodes()) {
            switch (node) {
                case EsiNode.Text text -> parts.add(new Plan.Part.Bytes(text.span()));
                case EsiNode.Include include -> {
                    var call = include.subrequest();
                    var src =
                            ((dev.quire.core.expression.Value.Text)
                                            ((dev.quire.core.expression.Expression.Literal)
                                                            call.src().pieces().getFirst())
                                                    .value())
                                    .text();
                    parts.add(
                            new Plan.Part.Fragment(
                                    resolver.resolve(src, base),
                                    Optional.empty(),
                                    OnError.PAGE_POLICY,
                                    FragmentTerms.NONE,
                                    Optional.empty(),
                                    Optional.empty(),
                                    Optional.empty(),
                                    false,
                                    include.at()));
                }
                default -> {}
            }
        }
        return new CompiledPage(new Plan(parts));
    }

    Plan fixed() {
        return fixed;
    }

    /**
     * Whether the page must be complete before its head leaves: something in it may change its
     * status or its fields, or make it fail.
     */
    public boolean mustBeWhole() {
        return false;
    }

    /** What it takes on the heap, roughly, in bytes. */
    public long heapBytes() {
        return 0;
    }
}
