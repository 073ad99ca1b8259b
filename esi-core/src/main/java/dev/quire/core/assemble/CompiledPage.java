package dev.quire.core.assemble;

import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.EsiNode.OnError;
import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.ParsedPage;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.policy.CacheKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An ESI document as stored: parsed, with constant references resolved. Immutable. */
public final class CompiledPage {

    /**
     * How documents are compiled.
     *
     * @param maxFragments {@link Limits#maxIncludes} of the pages that contain them
     */
    public record Rules(ReferenceResolver resolver, ParseOptions reading, int maxFragments) {

        /** Whether only stamped tags are run. */
        boolean isStamped() {
            return reading.tags() != ParseOptions.Tags.Unstamped.ALL;
        }

        /** Returns the rules for parsing the output of a document that was parsed by these. */
        Rules forAssembled() {
            var assembled = reading.forAssembled();
            return assembled.equals(reading) ? this : new Rules(resolver, assembled, maxFragments);
        }
    }

    /**
     * A document contained in the page ({@code <esi:inline>}).
     *
     * @param key its name, of the page's own authority
     * @param content its text, one char for each byte; without tags if it was stamped
     * @param isFetchable whether the origin serves it under its name too
     */
    public record Inline(CacheKey key, String content, CompiledPage compiled, boolean isFetchable) {

        public byte[] bytes() {
            return content.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private final boolean mustBeWhole;
    private final CacheKey base;
    private final Rules rules;
    private final boolean asksForFragments;
    private final long heapBytes;

    // Most pages have one plan for all requests; only the plan is stored for them.
    private final @Nullable Plan fixed;
    private final @Nullable Facts facts;
    private final List<EsiNode> nodes;

    private CompiledPage(
            List<EsiNode> nodes, boolean mustBeWhole, CacheKey base, Rules rules, Facts found) {
        this.mustBeWhole = mustBeWhole;
        this.base = base;
        this.rules = rules.forAssembled();
        this.asksForFragments = found.asksForFragments;
        this.fixed = found.isEvaluated ? null : fixedPlan(nodes, found, rules);
        this.facts = found.isEvaluated ? found : null;
        this.nodes = found.isEvaluated ? nodes : List.of();
        this.heapBytes = fixed == null ? found.heapBytes : fixed.heapBytes();
    }

    private CompiledPage(
            Plan fixed, boolean mustBeWhole, boolean asksForFragments, CacheKey base, Rules rules) {
        this.mustBeWhole = mustBeWhole;
        this.base = base;
        this.rules = rules;
        this.asksForFragments = asksForFragments;
        this.fixed = fixed;
        this.facts = null;
        this.nodes = List.of();
        this.heapBytes = fixed.heapBytes();
    }

    /**
     * Compiles {@code page}.
     *
     * @param base the resource the page came from, for relative references
     */
    public static CompiledPage of(ParsedPage page, CacheKey base, Rules rules) {
        return of(page, base, rules, (inline, name) -> ofInline(inline, name, rules));
    }

    private static CompiledPage of(
            ParsedPage page, CacheKey base, Rules rules, Facts.Documents documents) {
        var traits = page.traits();
        return kept(
                page.nodes(),
                traits.editsResponse() || traits.mayFail() || traits.hasPrimary(),
                base,
                rules,
                documents);
    }

    /** Restores a page from its stored {@code nodes}. */
    static CompiledPage kept(
            List<EsiNode> nodes,
            boolean mustBeWhole,
            CacheKey base,
            Rules rules,
            Facts.Documents documents) {
        var found = new Facts(nodes, base, rules, documents);
        return new CompiledPage(nodes, mustBeWhole, base, rules, found);
    }

    /**
     * Restores a page from its stored plan for all requests.
     *
     * @param rules those returned by {@link Rules#forAssembled}
     */
    static CompiledPage kept(
            Plan fixed, boolean mustBeWhole, boolean asksForFragments, CacheKey base, Rules rules) {
        return new CompiledPage(fixed, mustBeWhole, asksForFragments, base, rules);
    }

    /** Parses {@code bytes} like the document they were made of. */
    static CompiledPage of(byte[] bytes, CacheKey base, Rules rules) {
        return of(parsed(bytes, rules), base, rules);
    }

    /**
     * Compiles {@code inline}. It must not contain another inline document; otherwise unclosed ones
     * could each contain the rest of the page again. Stamps are removed from its stored text.
     */
    static Inline ofInline(EsiNode.Inline inline, CacheKey name, Rules rules) {
        var content = inline.content();
        var page = parsed(content.getBytes(StandardCharsets.ISO_8859_1), rules);
        if (rules.forAssembled().equals(rules)) {
            return brought(inline, name, rules, content, page);
        }
        var text = new StringBuilder(page.textBytes());
        page.forEachText(span -> text.append(content, span.start(), span.end()));
        return brought(inline, name, rules, text.toString(), page.ofTextAlone());
    }

    private static Inline brought(
            EsiNode.Inline inline, CacheKey name, Rules rules, String content, ParsedPage page) {
        var compiled = of(page, name, rules, Facts.Documents.NONE);
        return new Inline(name, content, compiled, inline.isFetchable());
    }

    private static ParsedPage parsed(byte[] bytes, Rules rules) {
        var parser = new EsiParser(rules.reading());
        parser.feed(ByteBuffer.wrap(bytes));
        return parser.finish();
    }

    /**
     * Whether the page must be complete before its head is sent: something in it may change its
     * status or fields, or make it fail.
     */
    public boolean mustBeWhole() {
        return mustBeWhole;
    }

    /** Whether it includes or evaluates other documents. */
    boolean asksForFragments() {
        return asksForFragments;
    }

    /** Returns its inline documents, except those whose names are not allowed. */
    public List<Inline> inlines() {
        return facts == null ? List.of() : List.copyOf(facts.inlines.values());
    }

    /**
     * Returns the inline documents that other pages may read. Without stamps, text of a user could
     * have written them.
     */
    public List<Inline> inlinesForOthers() {
        return rules.isStamped() ? inlines() : List.of();
    }

    /** Returns its approximate heap size in bytes. */
    public long heapBytes() {
        return heapBytes;
    }

    /** Returns the plan for all requests, or null if plans differ. */
    @Nullable Plan fixed() {
        return fixed;
    }

    /** Returns its nodes; empty if it has a fixed plan. */
    List<EsiNode> nodes() {
        return nodes;
    }

    CacheKey base() {
        return base;
    }

    Rules rules() {
        return rules;
    }

    /** Returns the include as a part if it is the same in every request, else null. */
    Plan.Part.@Nullable Fragment fragmentOf(EsiNode.Include include) {
        return facts == null ? null : facts.fragments.get(include);
    }

    /** Returns the document of {@code inline}, or null if it is not allowed. */
    @Nullable Inline inlineOf(EsiNode.Inline inline) {
        return facts == null ? null : facts.inlines.get(inline);
    }

    /** Whether nodes after {@code attempt} depend on its outcome. */
    boolean changesState(EsiNode.Try attempt) {
        return facts != null && facts.changing.containsKey(attempt);
    }

    /** Returns the content of the first region called {@code name}, or null. */
    @Nullable List<EsiNode> region(String name) {
        var open = new ArrayDeque<EsiNode>();
        push(open, nodes);
        while (!open.isEmpty()) {
            var node = open.pop();
            if (node instanceof EsiNode.Region region && region.name().equals(name)) {
                return region.content();
            }
            var contents = contents(node);
            for (int i = contents.size() - 1; i >= 0; i--) {
                push(open, contents.get(i));
            }
        }
        return null;
    }

    /**
     * Omits includes beyond the limit of a page, except the first whose absence is an error: the
     * {@link Assembler} never requests it, and so reports the page as incomplete at the cost of a
     * single part.
     */
    private static Plan fixedPlan(List<EsiNode> nodes, Facts facts, Rules rules) {
        var parts = new ArrayList<Plan.Part>();
        int fragments = 0;
        boolean isOverrun = false;
        for (var node : nodes) {
            if (node instanceof EsiNode.Text text) {
                Planner.add(parts, text.span());
            } else if (node instanceof EsiNode.Include include) {
                var fragment = facts.fragments.get(include);
                if (fragment == null) {
                    throw new IllegalStateException("an evaluated include in a fixed plan");
                }
                if (fragments < rules.maxFragments()) {
                    fragments++;
                    parts.add(fragment);
                } else if (!isOverrun && fragment.onError() != OnError.CONTINUE) {
                    isOverrun = true;
                    parts.add(fragment);
                }
            }
        }
        return new Plan(List.copyOf(parts));
    }

    /** Returns the lists of nodes inside {@code node}, in document order. */
    static List<List<EsiNode>> contents(EsiNode node) {
        return switch (node) {
            case EsiNode.Choose choose -> {
                var all = new ArrayList<List<EsiNode>>();
                choose.whens().forEach(when -> all.add(when.content()));
                all.add(choose.otherwise());
                yield all;
            }
            case EsiNode.Try attempt -> {
                var all = new ArrayList<>(attempt.attempts());
                attempt.excepts().forEach(except -> all.add(except.content()));
                yield all;
            }
            case EsiNode.AssignContent assign -> List.of(assign.content());
            case EsiNode.ForEach loop -> List.of(loop.content());
            case EsiNode.Function function -> List.of(function.content());
            case EsiNode.Region region -> List.of(region.content());
            case EsiNode.Include include -> replacements(include.subrequest());
            case EsiNode.Eval eval -> replacements(eval.subrequest());
            case EsiNode.Text ignored -> List.of();
            case EsiNode.Literal ignored -> List.of();
            case EsiNode.Write ignored -> List.of();
            case EsiNode.Inline ignored -> List.of();
            case EsiNode.Assign ignored -> List.of();
            case EsiNode.Break ignored -> List.of();
            case EsiNode.Return ignored -> List.of();
        };
    }

    private static List<List<EsiNode>> replacements(Subrequest subrequest) {
        return subrequest.replacements().stream().map(Subrequest.Replacement::content).toList();
    }

    private static void push(ArrayDeque<EsiNode> open, List<EsiNode> nodes) {
        for (int i = nodes.size() - 1; i >= 0; i--) {
            open.push(nodes.get(i));
        }
    }
}
