package dev.quire.core.assemble;

import dev.quire.core.expression.Escape;
import dev.quire.core.expression.Scope;
import dev.quire.core.expression.Template;
import dev.quire.core.expression.Value;
import dev.quire.core.http.FieldSyntax;
import dev.quire.core.parse.EsiNode;
import dev.quire.core.parse.Position;
import dev.quire.core.parse.Span;
import dev.quire.core.parse.Subrequest;
import dev.quire.core.parse.Subrequest.Dca;
import dev.quire.core.parse.Subrequest.Edit;
import dev.quire.core.policy.CacheKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates a document for one request: walks its nodes in order and yields parts. Stops after a
 * part whose outcome must be known first, or when the turn is over, and resumes there. Confined to
 * one thread.
 */
final class Planner {

    /*
     * The position in the tree is an explicit stack of lists of nodes and loops, each with its
     * progress. So stopping is returning, and deeply nested markup does not use the thread's stack.
     */

    /** The steps charged for an include that differs between requests. */
    private static final int FRAGMENT_STEPS = 20;

    /** A list of nodes being walked. */
    private static final class Walk {
        final List<EsiNode> nodes;

        /** The loop of which these nodes are one round. */
        final @Nullable Loop loop;

        /** The source of what selected these nodes. */
        Value.Source control;

        int next;

        Walk(List<EsiNode> nodes, @Nullable Loop loop, Value.Source control) {
            this.nodes = nodes;
            this.loop = loop;
            this.control = control;
        }
    }

    /** A loop being walked. */
    private record Loop(EsiNode.ForEach node, Iterator<Value> items) {}

    private final CompiledPage page;

    /** The page that the client requested, with its credentials. */
    private final CacheKey client;

    private final Plan.@Nullable Replacing replacing;
    private final ArrayDeque<Walk> walks = new ArrayDeque<>();
    private Scope scope;
    private List<Plan.Part> parts = new ArrayList<>();

    /** The source of the most confidential value in the current fragment's addresses. */
    private Value.Source confidentiality = Value.Source.AUTHOR;

    private boolean isStopped;
    private boolean isPaused;
    private boolean isBroken;

    /** The number of enclosing loops, including those of the enclosing planner. */
    private int loops;

    /**
     * Creates a planner at the first of {@code nodes}.
     *
     * @param page that contains the nodes
     * @param client the page the client requested
     * @param replacing the replacements of the document's regions
     */
    Planner(
            CompiledPage page,
            List<EsiNode> nodes,
            CacheKey client,
            Scope scope,
            Plan.@Nullable Replacing replacing) {
        this(page, nodes, client, scope, replacing, 0);
    }

    private Planner(
            CompiledPage page,
            List<EsiNode> nodes,
            CacheKey client,
            Scope scope,
            Plan.@Nullable Replacing replacing,
            int loops) {
        this.loops = loops;
        this.page = page;
        this.client = client;
        this.scope = scope;
        this.replacing = replacing;
        walks.push(new Walk(nodes, null, scope.control()));
    }

    static Planner ofAll(CompiledPage page, CacheKey client, Scope scope) {
        var planner = new Planner(page, page.nodes(), client, scope, null);
        var fixed = page.fixed();
        if (fixed != null) {
            planner.parts.addAll(fixed.parts());
        }
        return planner;
    }

    /**
     * Returns the next parts, up to the end, a part whose outcome must be known first, or the end
     * of the turn.
     */
    Plan more() {
        isStopped = false;
        isPaused = false;
        while (!isStopped && !walks.isEmpty()) {
            if (!scope.mayContinueTurn()) {
                isPaused = true;
                break;
            }
            var walk = walks.element();
            if (walk.next == walk.nodes.size()) {
                walks.pop();
                if (walk.loop != null) {
                    loops--;
                    scope.restore(walk.control);
                    round(walk.loop);
                }
            } else if (loops == 0 || scope.maySpend(1)) {
                scope.restore(walk.control);
                visit(walk.nodes.get(walk.next++));
            } else {
                // A few nodes repeated often become many parts.
                leaveLoop();
            }
        }
        var plan = new Plan(parts);
        parts = new ArrayList<>();
        return plan;
    }

    /** Whether the end has been reached. */
    boolean isDone() {
        return walks.isEmpty();
    }

    /** Whether it may go on in the next turn. */
    boolean isPaused() {
        return isPaused;
    }

    /** Whether a break was found that leaves a loop of an enclosing planner. */
    boolean isBroken() {
        return isBroken;
    }

    Scope scope() {
        return scope;
    }

    CompiledPage page() {
        return page;
    }

    /**
     * Resumes after an awaited outcome and takes over its namespace.
     *
     * @param broke whether a break was found in it
     */
    void decided(Scope outcome, boolean broke) {
        if (outcome != scope) {
            scope.join(outcome);
        }
        if (broke) {
            leaveLoop();
        }
    }

    private void visit(EsiNode node) {
        switch (node) {
            case EsiNode.Text text -> {
                // Text repeated by a loop is charged; text passed on once is not.
                if (loops == 0 || scope.mayProduce(text.span().length())) {
                    add(parts, text.span());
                }
            }
            case EsiNode.Literal literal -> write(literal.bytes());
            case EsiNode.Write write ->
                    write(scope.written(scope.evaluate(write.value()), write.escape()));
            case EsiNode.Include include -> include(include);
            case EsiNode.Eval eval -> eval(eval);
            case EsiNode.Inline inline -> inline(inline);
            case EsiNode.Choose choose -> choose(choose);
            case EsiNode.Try attempt -> attempt(attempt);
            case EsiNode.Assign assign -> Interpreter.assign(scope, assign);
            case EsiNode.AssignContent assign -> Interpreter.assign(scope, assign);
            case EsiNode.ForEach loop ->
                    round(
                            new Loop(
                                    loop,
                                    scope.items(scope.evaluate(loop.collection())).iterator()));
            case EsiNode.Break ignored -> leaveLoop();
            case EsiNode.Function function -> Interpreter.define(scope, function);
            case EsiNode.Return ignored ->
                    throw new IllegalStateException("a return outside of a function");
            case EsiNode.Region region -> region(region);
        }
    }

    private void choose(EsiNode.Choose choose) {
        var taken = branch(scope, choose);
        if (loops > 0) {
            // A branch may leave the loop, so the test selects the rest of the loop too.
            for (var walk : walks) {
                walk.control = walk.control.and(scope.control());
                if (walk.loop != null) {
                    break;
                }
            }
        }
        walks.push(new Walk(taken, null, scope.control()));
    }

    /** Returns the content of the branch that is taken. */
    static List<EsiNode> branch(Scope scope, EsiNode.Choose choose) {
        for (var when : choose.whens()) {
            if (when.test().isPresent()
                    && scope.test(when.test().get(), when.matchName().orElse(null))) {
                return when.content();
            }
        }
        return choose.otherwise();
    }

    private void round(Loop loop) {
        if (loop.items().hasNext() && scope.mayIterate()) {
            scope.assign(loop.node().item(), loop.items().next());
            walks.push(new Walk(loop.node().content(), loop, scope.control()));
            loops++;
        }
    }

    private void leaveLoop() {
        while (!walks.isEmpty()) {
            if (walks.pop().loop != null) {
                loops--;
                return;
            }
        }
        isBroken = true;
    }

    private void region(EsiNode.Region region) {
        var instead = replacing == null ? null : replacing.contentFor(region.name());
        if (replacing == null || instead == null) {
            walks.push(new Walk(region.content(), null, scope.control()));
        } else {
            parts.add(new Plan.Part.Replaced(replacing, instead));
        }
    }

    private void inline(EsiNode.Inline inline) {
        var document = page.inlineOf(inline);
        if (document == null) {
            scope.problem("an esi:inline names another host, or is inside another esi:inline");
        } else {
            parts.add(new Plan.Part.Inline(document));
        }
    }

    private void attempt(EsiNode.Try node) {
        boolean isAwaited = page.changesState(node);
        var before = scope;
        var nodes = new ArrayList<EsiNode>();
        node.attempts().forEach(nodes::addAll);
        // Changes of an attempt are taken over after it has succeeded; its except must not see
        // changes made after it in the meantime.
        var inside = isAwaited ? scope.fork() : scope;
        if (!isAwaited && !node.excepts().isEmpty()) {
            before = scope.fork();
        }
        var planner = new Planner(page, nodes, client, inside, replacing, loops);
        parts.add(new Plan.Part.Attempt(node, planner, planner.more(), before, isAwaited));
        isStopped = isAwaited;
    }

    /** Returns the planner of the replacement for a failed attempt. */
    Planner except(EsiNode.Except except, Scope before) {
        return new Planner(page, except.content(), client, before, replacing, loops);
    }

    private void eval(EsiNode.Eval eval) {
        var fragment = fragment(eval.subrequest(), eval.at());
        if (fragment != null) {
            parts.add(new Plan.Part.Evaluated(fragment, eval.ownNamespaceFirst()));
            isStopped = true;
        }
    }

    private void include(EsiNode.Include include) {
        var fragment = page.fragmentOf(include);
        if (fragment == null) {
            fragment = fragment(include.subrequest(), include.at());
        }
        if (fragment != null) {
            parts.add(fragment);
        }
    }

    private Plan.Part.@Nullable Fragment fragment(Subrequest subrequest, Position at) {
        confidentiality = Value.Source.AUTHOR;
        var src =
                scope.maySpend(FRAGMENT_STEPS)
                        ? reference(subrequest.src(), subrequest.parameters())
                        : null;
        if (src == null) {
            scope.problem("a src evaluates to an empty string");
            return null;
        }
        var alternative = subrequest.alt().map(alt -> reference(alt, subrequest.parameters()));
        return new Plan.Part.Fragment(
                src,
                terms(subrequest, src),
                alternative,
                alternative.map(alt -> terms(subrequest, alt)).orElse(FragmentTerms.NONE),
                subrequest.onError(),
                subrequest.terms().region(),
                subrequest.terms().select(),
                escape(subrequest),
                subrequest.isPrimary(),
                confidentiality,
                subrequest.replacements().isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new Plan.Replacing(page, scope.fork(), subrequest.replacements())),
                at);
    }

    /** Returns null if the result is empty. Private values are not sent to foreign hosts. */
    private @Nullable Reference reference(
            Template template, List<Subrequest.Parameter> parameters) {
        var own = reference(template, parameters, false);
        if (own instanceof Reference.Allowed allowed && isOfAuthority(allowed, client)) {
            return own;
        }
        return reference(template, parameters, true);
    }

    private @Nullable Reference reference(
            Template template, List<Subrequest.Parameter> parameters, boolean isForeign) {
        var reference = scope.reference(template, isForeign);
        confidentiality = confidentiality.and(reference.source());
        var text = reference.text();
        if (text.isEmpty()) {
            return null;
        }
        if (reference.hasDotsOfRequest()) {
            return new Reference.Denied("a dot segment from a value of the request");
        }
        for (var parameter : parameters) {
            text = withParameter(text, parameter, isForeign);
        }
        return page.rules().resolver().resolveInclude(text, page.base());
    }

    private String withParameter(
            String reference, Subrequest.Parameter parameter, boolean isForeign) {
        int hash = reference.indexOf('#');
        var head = hash < 0 ? reference : reference.substring(0, hash);
        var tail = hash < 0 ? "" : reference.substring(hash);
        return head
                + (head.indexOf('?') < 0 ? '?' : '&')
                + encoded(parameter.name(), isForeign)
                + '='
                + encoded(parameter.value(), isForeign)
                + tail;
    }

    private String encoded(Template template, boolean isForeign) {
        var text = scope.text(template);
        confidentiality = confidentiality.and(text.source());
        return mayGo(text, isForeign) ? Escape.URL.applied(text.text()) : "";
    }

    private static boolean mayGo(Value.Text text, boolean isForeign) {
        return !isForeign || text.source().compareTo(Value.Source.ADDRESS) <= 0;
    }

    private FragmentTerms terms(Subrequest subrequest, Reference src) {
        boolean isForeign = !isOfAuthority(src, client);
        var fixed =
                fixedTerms(subrequest, isOfAuthority(src, page.base()), page.rules().isStamped());
        var terms = subrequest.terms();
        if (terms.method().isEmpty() && terms.body().isEmpty() && terms.fields().isEmpty()) {
            return fixed;
        }
        var fields = new ArrayList<FragmentTerms.FieldEdit>();
        for (var edit : terms.fields()) {
            var text = scope.text(edit.field());
            var field = mayGo(text, isForeign) ? field(edit.edit(), text, scope.control()) : null;
            if (field == null) {
                scope.problem("a header is not Name: value, or must not be sent to that host");
            } else {
                fields.add(field);
            }
        }
        return new FragmentTerms(
                fixed.ttl(),
                fixed.staleFor(),
                fixed.mayBeStored(),
                fixed.timeout(),
                fixed.followsRedirects(),
                terms.method().map(this::method).orElse(FragmentTerms.NONE.method()),
                terms.body()
                        .map(scope::text)
                        .filter(text -> mayGo(text, isForeign))
                        .map(Value.Text::text),
                fields,
                fixed.dca(),
                fixed.isStamped());
    }

    private String method(Template template) {
        var method = scope.text(template).text().strip();
        if (method.equals("GET") || method.equals("POST")) {
            return method;
        }
        scope.problem("a method is neither GET nor POST");
        return FragmentTerms.NONE.method();
    }

    private static FragmentTerms.@Nullable FieldEdit field(
            Edit edit, Value.Text line, Value.Source control) {
        var text = line.text();
        int colon = text.indexOf(':');
        var name = (colon < 0 ? text : text.substring(0, colon)).strip();
        var value = colon < 0 ? "" : text.substring(colon + 1).strip();
        boolean isComplete = edit == Edit.REMOVE || colon > 0;
        return isComplete && FieldSyntax.isToken(name) && FieldSyntax.isValue(value)
                ? new FragmentTerms.FieldEdit(
                        edit, name, value, line.source().and(control) != Value.Source.AUTHOR)
                : null;
    }

    /** Returns the terms that need no evaluation. */
    static FragmentTerms fixedTerms(Subrequest subrequest, boolean isOfBase, boolean isStamped) {
        var terms = subrequest.terms();
        if (terms.equals(Subrequest.Terms.NONE)) {
            return FragmentTerms.NONE;
        }
        var dca = terms.region().isPresent() ? Dca.ESI : terms.dca();
        return new FragmentTerms(
                terms.ttl(),
                terms.staleFor(),
                terms.isStored() && !terms.ttl().map(Duration::isZero).orElse(false),
                terms.timeout(),
                terms.followsRedirects(),
                FragmentTerms.NONE.method(),
                Optional.empty(),
                List.of(),
                dca == Dca.ESI && !isOfBase ? Dca.UNSAID : dca,
                isStamped);
    }

    /** Returns the escape of the fragment, if any. */
    static Optional<Escape> escape(Subrequest subrequest) {
        return subrequest
                .escape()
                .filter(escape -> escape != Escape.NONE && escape != Escape.MARKUP);
    }

    static boolean isOfAuthority(Reference reference, CacheKey key) {
        return reference instanceof Reference.Allowed allowed
                && allowed.key().isOfSameAuthority(key);
    }

    /** Adds text; it is merged with directly preceding text. */
    static void add(List<Plan.Part> parts, Span span) {
        if (!parts.isEmpty()
                && parts.getLast() instanceof Plan.Part.Bytes(Span before)
                && before.end() == span.start()) {
            parts.removeLast();
            parts.add(new Plan.Part.Bytes(new Span(before.start(), span.end())));
        } else {
            parts.add(new Plan.Part.Bytes(span));
        }
    }

    private void write(String text) {
        if (!text.isEmpty()) {
            parts.add(new Plan.Part.Text(text));
        }
    }
}
