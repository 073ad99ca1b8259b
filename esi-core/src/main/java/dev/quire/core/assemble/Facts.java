package dev.quire.core.assemble;

import dev.quire.core.expression.Expression;
import dev.quire.core.expression.Scope;
import dev.quire.core.expression.SearchPattern;
import dev.quire.core.expression.Template;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.policy.CacheKey;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Properties of a document that are the same for all requests, computed when it is compiled. */
final class Facts {

    /*
     * Found in one pass over nodes and expressions. It is recursive: the parser limits nesting to a
     * few hundred levels.
     */

    /*
     * Heap sizes of objects, with references of four bytes: of all objects that one page alone
     * owns, including their places in lists, but without texts of variable length. A test of the
     * proxy compares these numbers with measurements.
     */

    /** A page without nodes. */
    private static final int PAGE_BYTES = 344;

    private static final int NODE_BYTES = 120;
    private static final int TEXT_BYTES = 64;
    private static final int INCLUDE_BYTES = 160;
    private static final int TEMPLATE_BYTES = 40;
    private static final int EXPRESSION_BYTES = 68;

    /** The request of a constant include, without its text. */
    private static final int FRAGMENT_BYTES = 152;

    /** The source of a document's inline documents. */
    interface Documents {

        /** No inline document is allowed. */
        Documents NONE = (inline, name) -> null;

        /** Returns the document of {@code inline}, or null. */
        CompiledPage.@Nullable Inline of(EsiNode.Inline inline, CacheKey name);
    }

    /** The constant includes. */
    final IdentityHashMap<EsiNode.Include, Plan.Part.Fragment> fragments = new IdentityHashMap<>(0);

    /** The inline documents by their nodes. */
    final IdentityHashMap<EsiNode.Inline, CompiledPage.Inline> inlines = new IdentityHashMap<>(0);

    /** Every try on whose outcome later nodes may depend. */
    final IdentityHashMap<EsiNode.Try, Boolean> changing = new IdentityHashMap<>(0);

    private final CacheKey base;
    private final CompiledPage.Rules rules;
    private final Documents documents;

    /** Whether the document must be evaluated for each request. */
    boolean isEvaluated;

    /** Whether it includes or evaluates other documents. */
    boolean asksForFragments;

    long heapBytes;

    /**
     * Computes the properties of a document at {@code base}.
     *
     * @param documents the source of its inline documents
     */
    Facts(List<EsiNode> nodes, CacheKey base, CompiledPage.Rules rules, Documents documents) {
        this.base = base;
        this.rules = rules;
        this.documents = documents;
        walk(nodes);
        heapBytes +=
                PAGE_BYTES + tableBytes(fragments) + tableBytes(inlines) + tableBytes(changing);
    }

    /** The size of an open-addressing table; keys and values each take at most a third of it. */
    private static long tableBytes(Map<?, ?> table) {
        return 16 + 4L * Math.max(8, Integer.highestOneBit(Math.max(1, 3 * table.size() - 1)) * 2L);
    }

    /** Whether anything in {@code nodes} changes the evaluation of later nodes. */
    private boolean walk(List<EsiNode> nodes) {
        boolean isChanging = false;
        for (var node : nodes) {
            isChanging |= walk(node);
        }
        return isChanging;
    }

    private boolean walk(EsiNode node) {
        heapBytes += NODE_BYTES;
        return switch (node) {
            case EsiNode.Text ignored -> {
                heapBytes += TEXT_BYTES - NODE_BYTES;
                yield false;
            }
            case EsiNode.Literal literal -> {
                heapBytes += literal.bytes().length();
                yield false;
            }
            case EsiNode.Include include -> {
                heapBytes += INCLUDE_BYTES - NODE_BYTES;
                yield include(include);
            }
            case EsiNode.Inline inline -> {
                isEvaluated = true;
                inline(inline);
                yield false;
            }
            case EsiNode.Write write -> evaluated(walk(write.value()));
            case EsiNode.Eval eval -> {
                subrequest(eval.subrequest());
                yield evaluated(true);
            }
            case EsiNode.Choose choose -> {
                boolean isChanging = walk(choose.otherwise());
                for (var when : choose.whens()) {
                    isChanging |= when.test().isPresent() && walk(when.test().get());
                    // The groups of a match are variables too.
                    isChanging |= when.matchName().isPresent();
                    isChanging |= walk(when.content());
                }
                yield evaluated(isChanging);
            }
            case EsiNode.Try attempt -> {
                boolean isChanging = false;
                for (var content : attempt.attempts()) {
                    isChanging |= walk(content);
                }
                for (var except : attempt.excepts()) {
                    isChanging |= walk(except.content());
                }
                if (isChanging) {
                    changing.put(attempt, true);
                }
                yield evaluated(isChanging);
            }
            case EsiNode.Assign assign -> {
                assign.key().ifPresent(this::walk);
                walk(assign.value());
                yield evaluated(true);
            }
            case EsiNode.AssignContent assign -> {
                assign.key().ifPresent(this::walk);
                walk(assign.content());
                yield evaluated(true);
            }
            case EsiNode.ForEach loop -> {
                boolean isChanging = walk(loop.collection());
                isChanging |= walk(loop.content());
                yield evaluated(isChanging);
            }
            case EsiNode.Break ignored -> evaluated(true);
            case EsiNode.Function function -> {
                walk(function.content());
                yield evaluated(true);
            }
            case EsiNode.Return end -> evaluated(walk(end.value()));
            case EsiNode.Region region -> evaluated(walk(region.content()));
        };
    }

    private boolean evaluated(boolean isChanging) {
        isEvaluated = true;
        return isChanging;
    }

    private boolean include(EsiNode.Include include) {
        var subrequest = include.subrequest();
        boolean isChanging = subrequest(subrequest);
        var fragment = isFixed(subrequest) ? fixed(subrequest, include) : null;
        if (fragment == null) {
            return evaluated(isChanging);
        }
        fragments.put(include, fragment);
        heapBytes += FRAGMENT_BYTES + 2L * subrequest.src().text().length();
        return false;
    }

    private boolean subrequest(Subrequest subrequest) {
        asksForFragments = true;
        boolean isChanging = walk(subrequest.src());
        isChanging |= subrequest.alt().isPresent() && walk(subrequest.alt().get());
        for (var parameter : subrequest.parameters()) {
            isChanging |= walk(parameter.name());
            isChanging |= walk(parameter.value());
        }
        var terms = subrequest.terms();
        isChanging |= terms.method().isPresent() && walk(terms.method().get());
        isChanging |= terms.body().isPresent() && walk(terms.body().get());
        for (var edit : terms.fields()) {
            isChanging |= walk(edit.field());
        }
        for (var replacement : subrequest.replacements()) {
            walk(replacement.content());
        }
        return isChanging;
    }

    private static boolean isFixed(Subrequest subrequest) {
        var terms = subrequest.terms();
        return subrequest.src().isStatic()
                && subrequest.alt().map(Template::isStatic).orElse(true)
                && subrequest.parameters().isEmpty()
                && subrequest.replacements().isEmpty()
                && terms.method().isEmpty()
                && terms.body().isEmpty()
                && terms.fields().isEmpty();
    }

    private Plan.Part.Fragment fixed(Subrequest subrequest, EsiNode.Include include) {
        var src = rules.resolver().resolveInclude(subrequest.src().text(), base);
        var alternative =
                subrequest.alt().map(alt -> rules.resolver().resolveInclude(alt.text(), base));
        return new Plan.Part.Fragment(
                src,
                Planner.fixedTerms(subrequest, Planner.isOfAuthority(src, base), rules.isStamped()),
                alternative,
                alternative
                        .map(alt -> Planner.isOfAuthority(alt, base))
                        .map(isOfBase ->
                                Planner.fixedTerms(subrequest, isOfBase, rules.isStamped()))
                        .orElse(FragmentTerms.NONE),
                subrequest.onError(),
                subrequest.terms().region(),
                subrequest.terms().select(),
                Planner.escape(subrequest),
                subrequest.isPrimary(),
                Value.Source.AUTHOR,
                Optional.empty(),
                include.at());
    }

    private void inline(EsiNode.Inline inline) {
        var name = nameOf(inline.name(), base, rules);
        var document = name == null ? null : documents.of(inline, name);
        if (document != null) {
            heapBytes += document.content().length() + document.compiled().heapBytes();
            inlines.put(inline, document);
        }
    }

    /** Returns the name of an inline document, or null if it is not allowed. */
    static @Nullable CacheKey nameOf(String name, CacheKey base, CompiledPage.Rules rules) {
        return rules.resolver().resolveInclude(name, base) instanceof Reference.Allowed allowed
                        && Planner.isOfAuthority(allowed, base)
                ? allowed.key()
                : null;
    }

    private boolean walk(Template template) {
        heapBytes += TEMPLATE_BYTES;
        boolean isChanging = false;
        for (var piece : template.pieces()) {
            isChanging |= walk(piece);
        }
        return isChanging;
    }

    /** Whether evaluating {@code expression} may have side effects. */
    private boolean walk(Expression expression) {
        heapBytes += EXPRESSION_BYTES;
        if (expression instanceof Expression.Match match) {
            heapBytes += match.compiled().map(SearchPattern::heapBytes).orElse(0L);
        }
        boolean isChanging =
                // The groups of a match become variables.
                expression instanceof Expression.Match
                        || (expression instanceof Expression.Call call
                                && !Scope.isPure(call.function()));
        for (var operand : expression.operands()) {
            isChanging |= walk(operand);
        }
        return isChanging;
    }
}
