package dev.quire.core.assemble;

import dev.quire.core.expression.Scope;
import dev.quire.core.expression.Value;
import dev.quire.core.parse.EsiNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs nodes that produce values rather than output: assignments and the functions of a page. They
 * contain no fragments, so they never have to wait.
 */
final class Interpreter {

    /* Recursive: the parser limits the nesting of content, the scope that of function calls. */

    private final Scope scope;
    private final List<Value> pieces = new ArrayList<>();
    private @Nullable Value returned;
    private boolean isBroken;

    private Interpreter(Scope scope) {
        this.scope = scope;
    }

    static void assign(Scope scope, EsiNode.Assign assign) {
        var value = scope.evaluate(assign.value());
        if (assign.key().isPresent()) {
            scope.assign(assign.name(), scope.evaluate(assign.key().get()), value);
        } else {
            scope.assign(assign.name(), value);
        }
    }

    static void assign(Scope scope, EsiNode.AssignContent assign) {
        var value = new Interpreter(scope).value(assign.content());
        if (assign.key().isPresent()) {
            scope.assign(assign.name(), scope.evaluate(assign.key().get()), value);
        } else {
            scope.assign(assign.name(), value);
        }
    }

    static void define(Scope scope, EsiNode.Function function) {
        scope.define(function.name(), local -> new Interpreter(local).value(function.content()));
    }

    /**
     * Returns the value of {@code content}; a single reference keeps its type. A test or a loop may
     * end the content early, so what follows it counts as selected by it.
     */
    private Value value(List<EsiNode> content) {
        var control = scope.control();
        run(content);
        var value = scope.selected(returned == null ? scope.joined(pieces) : returned);
        scope.restore(control);
        return value;
    }

    private boolean isOver() {
        return isBroken || returned != null;
    }

    private void run(List<EsiNode> nodes) {
        for (var node : nodes) {
            // The results are in memory, so they are charged to the scope's budget.
            if (isOver() || !scope.maySpend(1)) {
                return;
            }
            run(node);
        }
    }

    private void run(EsiNode node) {
        switch (node) {
            case EsiNode.Literal literal ->
                    pieces.add(new Value.Text(literal.bytes(), Value.Source.AUTHOR));
            case EsiNode.Write write ->
                    pieces.add(scope.escaped(scope.evaluate(write.value()), write.escape()));
            case EsiNode.Choose choose -> run(Planner.branch(scope, choose));
            case EsiNode.Assign assign -> assign(scope, assign);
            case EsiNode.AssignContent assign -> assign(scope, assign);
            case EsiNode.ForEach loop -> {
                for (var item : scope.items(scope.evaluate(loop.collection()))) {
                    if (isOver() || !scope.mayIterate()) {
                        break;
                    }
                    scope.assign(loop.item(), item);
                    run(loop.content());
                }
                isBroken = false;
            }
            case EsiNode.Break ignored -> isBroken = true;
            case EsiNode.Return end -> returned = scope.evaluate(end.value());
            case EsiNode.Region region -> run(region.content());
            // Nothing in here can fail.
            case EsiNode.Try attempt -> attempt.attempts().forEach(this::run);
            case EsiNode.Text ignored -> throw misplaced(node);
            case EsiNode.Include ignored -> throw misplaced(node);
            case EsiNode.Eval ignored -> throw misplaced(node);
            case EsiNode.Inline ignored -> throw misplaced(node);
            case EsiNode.Function ignored -> throw misplaced(node);
        }
    }

    private static IllegalStateException misplaced(EsiNode node) {
        return new IllegalStateException(
                node.getClass().getSimpleName() + " inside an assignment or a function");
    }
}
