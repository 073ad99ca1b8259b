package dev.quire.core.expression;

import dev.quire.core.expression.ResponseEdits.Field;
import dev.quire.core.expression.Value.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The namespace of one document for one request: what it has assigned, which functions it has
 * defined, what it asks of the response. Confined to one thread.
 */
public final class Scope {

    /** A function the page has defined. */
    public interface UserFunction {
        /**
         * The value of a call.
         *
         * @param local a namespace of the call's own, with {@code ARGS}
         */
        Value call(Scope local);
    }

    /** Calls of the page's own functions within one another. */
    static final int MAX_CALLS = 5;

    /** What making a copy of an empty namespace counts as. */
    private static final int FORK_STEPS = 20;

    private static final String MATCHES = "MATCHES";
    private static final String ARGUMENTS = "ARGS";

    /** What is the same for all copies and calls of a document: what has been read stays read. */
    private static final class Readings {
        private boolean hasReadClient;
    }

    final Evaluation evaluation;
    private final Variables variables;
    private final Readings readings;
    private final @Nullable Scope outer;
    private final int calls;
    private final Evaluator evaluator;
    private Map<String, Value> names = new HashMap<>();
    private Map<String, UserFunction> functions = new HashMap<>();
    private ResponseEdits edits = ResponseEdits.NONE;

    /** Of the test that is evaluated now. */
    private Value.@Nullable Items lastMatch;

    /** An empty namespace. */
    public Scope(Variables variables, Evaluation evaluation) {
        this(variables, evaluation, new Readings(), null, 0);
    }

    private Scope(
            Variables variables,
            Evaluation evaluation,
            Readings readings,
            @Nullable Scope outer,
            int calls) {
        this.variables = variables;
        this.evaluation = evaluation;
        this.readings = readings;
        this.outer = outer;
        this.calls = calls;
        this.evaluator = new Evaluator(this);
    }

    /**
     * A copy: what is assigned there is not seen here. Collections are copied too, with what names
     * them; two names of one collection are so in the copy. What a function's scope sees of its
     * document is not copied. Nothing is copied, and that told of once, if that is more than the
     * page may still do.
     */
    public Scope fork() {
        var fork = new Scope(variables, evaluation, readings, outer, calls);
        fork.edits = edits;
        int count = names.size() + functions.size();
        if (!evaluation.maySpend(FORK_STEPS + (long) count) || !evaluation.mayList(count)) {
            return fork;
        }
        fork.functions.putAll(functions);
        var copies = new IdentityHashMap<Value, Value>();
        var unfilled = new ArrayDeque<Value>();
        for (var entry : names.entrySet()) {
            fork.names.put(entry.getKey(), copied(entry.getValue(), copies, unfilled));
        }
        for (var original = unfilled.poll(); original != null; original = unfilled.poll()) {
            fill(original, copies, unfilled);
        }
        return fork;
    }

    private static Value copied(Value value, Map<Value, Value> copies, ArrayDeque<Value> unfilled) {
        if (!(value instanceof Value.Items || value instanceof Value.Dictionary)) {
            return value;
        }
        var known = copies.get(value);
        if (known != null) {
            return known;
        }
        var copy =
                value instanceof Value.Items ? new Value.Items(List.of()) : new Value.Dictionary();
        copies.put(value, copy);
        unfilled.add(value);
        return copy;
    }

    /** Fills the copy of {@code original}; what it holds in turn is filled later, one by one. */
    private void fill(Value original, Map<Value, Value> copies, ArrayDeque<Value> unfilled) {
        var copy = copies.get(original);
        if (original instanceof Value.Items from && copy instanceof Value.Items to) {
            if (evaluation.maySpend(from.items.size()) && evaluation.mayList(from.items.size())) {
                for (var item : from.items) {
                    to.items.add(copied(item, copies, unfilled));
                }
            }
        } else if (original instanceof Value.Dictionary from
                && copy instanceof Value.Dictionary to) {
            if (evaluation.maySpend(from.entries.size())
                    && evaluation.mayList(from.entries.size())) {
                from.entries
                        .values()
                        .forEach(entry ->
                                to.put(entry.key(), copied(entry.value(), copies, unfilled)));
            }
        }
    }

    /**
     * Takes over what {@code fork}, once copied from here, holds now; it is not used after that.
     */
    public void join(Scope fork) {
        names = fork.names;
        functions = fork.functions;
        edits = fork.edits;
    }

    /** The value of {@code expression}; {@link Value.Null} if it has none. */
    public Value evaluate(Expression expression) {
        return evaluator.value(expression);
    }

    /**
     * Whether {@code test} holds; the groups of its last match are then {@code MATCHES}, and {@code
     * matchName} if that is not null.
     */
    public boolean test(Expression test, @Nullable String matchName) {
        lastMatch = null;
        boolean holds = evaluator.isTrue(test);
        if (holds && matchName != null && lastMatch != null) {
            names.put(matchName, lastMatch);
        }
        return holds;
    }

    /**
     * {@code template} as text, unescaped. May hold secrets: whoever uses it looks at its source.
     */
    public Value.Text text(Template template) {
        if (template.pieces().size() == 1) {
            return Joined.text(evaluate(template.pieces().getFirst()), evaluation);
        }
        var source = Source.AUTHOR;
        var whole = new StringBuilder();
        for (var piece : template.pieces()) {
            var text = Joined.text(evaluate(piece), evaluation);
            if (!evaluation.mayProduce(text.text().length())) {
                return Value.Text.EMPTY;
            }
            whole.append(text.text());
            source = source.and(text.source());
        }
        return new Value.Text(whole.toString(), source);
    }

    /**
     * {@code template} as a reference: what comes from the request is percent-encoded where a URI
     * may not hold it, {@code & = / ? %} stay.
     *
     * @param forForeignHost whether only the author's words and the request's address may stand in
     *     it
     */
    public Value.Text reference(Template template, boolean forForeignHost) {
        var whole = new StringBuilder();
        var source = Source.AUTHOR;
        for (var piece : template.pieces()) {
            var text = Joined.text(evaluate(piece), evaluation);
            if (forForeignHost && text.source().compareTo(Source.ADDRESS) > 0) {
                continue;
            }
            var encoded = text.source() == Source.AUTHOR ? text.text() : UriText.legal(text.text());
            if (!evaluation.mayProduce(encoded.length())) {
                return Value.Text.EMPTY;
            }
            whole.append(encoded);
            source = source.and(text.source());
        }
        return new Value.Text(whole.toString(), source);
    }

    /** {@code value} as it is written into the page under {@code escape}; secrets are empty. */
    public String written(Value value, Escape escape) {
        var text = Joined.text(value, evaluation);
        if (text.source() == Source.SECRET || text.text().isEmpty()) {
            return "";
        }
        if (!evaluation.mayProduce(text.text().length())) {
            return "";
        }
        var written = escape.written(text.text(), text.isMarkup());
        int longer = written.length() - text.text().length();
        return longer > 0 && !evaluation.mayProduce(longer) ? "" : written;
    }

    /**
     * {@code value} as {@link #written}, to be joined with others: it is not escaped again. As
     * confidential as it was.
     */
    public Value escaped(Value value, Escape escape) {
        if (escape == Escape.MARKUP) {
            return value;
        }
        var text = Joined.text(value, evaluation);
        return new Value.Text(written(text, escape), text.source(), true);
    }

    /**
     * The content of a long assign or of a function: one value alone keeps its type, several are
     * joined as text. If the author's part of that has angle brackets, what came of the request is
     * escaped.
     */
    public Value joined(List<Value> values) {
        if (values.size() == 1) {
            return values.getFirst();
        }
        var joined = new Joined(evaluation);
        for (var value : values) {
            joined.add(value);
        }
        return joined.value();
    }

    /** Names {@code value}. */
    public void assign(String name, Value value) {
        names.put(name, value);
    }

    /** Puts {@code value} into the list or dictionary called {@code name}, if there is one. */
    public void assign(String name, Value key, Value value) {
        var collection = named(name);
        var place = Joined.text(key, evaluation);
        switch (collection) {
            case Value.Items list -> {
                int index = index(list, place.text());
                if (index < 0) {
                    problem("assignment to a list item that does not exist");
                } else {
                    list.items.set(index, value);
                }
            }
            case Value.Dictionary dictionary -> {
                if (evaluation.mayProduce(2 * Evaluation.ITEM_BYTES + place.text().length())) {
                    dictionary.put(place, value);
                }
            }
            case null, default -> problem("keyed assignment to a value that is not a collection");
        }
    }

    /** What a loop over {@code collection} yields, one after the other; empty if it is none. */
    public List<Value> items(Value collection) {
        return switch (collection) {
            case Value.Items list ->
                    evaluation.mayList(list.items.size()) ? List.copyOf(list.items) : List.of();
            case Value.Dictionary dictionary -> pairs(dictionary);
            default -> List.of();
        };
    }

    private List<Value> pairs(Value.Dictionary dictionary) {
        if (!evaluation.mayList(4L * dictionary.entries.size())) {
            return List.of();
        }
        var pairs = new ArrayList<Value>(dictionary.entries.size());
        for (var entry : dictionary.entries.values()) {
            pairs.add(new Value.Items(List.of(entry.key(), entry.value())));
        }
        return pairs;
    }

    /** Whether {@code bytes} more may come of evaluating; told of once when it is too much. */
    public boolean mayProduce(long bytes) {
        return evaluation.mayProduce(bytes);
    }

    /** One more round of a loop; false, and told of once, when there have been enough. */
    public boolean mayIterate() {
        return evaluation.mayIterate();
    }

    /**
     * Takes {@code steps} off what the page may still do; false, and told of once, if that is too
     * much. For whoever walks nodes over and over, in loops and functions.
     */
    public boolean maySpend(int steps) {
        return evaluation.maySpend(steps);
    }

    /** Whether {@code function} is built in, and calling it leaves everything as it was. */
    public static boolean isPure(String function) {
        return Functions.named(function) != null && !Functions.isOfResponse(function);
    }

    /** Defines a function of the page's own; it hides a built-in one. */
    public void define(String name, UserFunction function) {
        functions.put(name, function);
    }

    /** What the document has asked of the response so far. */
    public ResponseEdits edits() {
        return document().edits;
    }

    /** Whether anything of the request but its address has been read. */
    public boolean hasReadClient() {
        return readings.hasReadClient;
    }

    /** Counts and tells of something that could not be done as written. */
    public void problem(String what) {
        evaluation.problem(what);
    }

    /** What the document has assigned to {@code name}, or null. */
    @Nullable Value named(String name) {
        for (var scope = this; scope != null; scope = scope.outer) {
            var value = scope.names.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** What the request, or whoever else knows, says of {@code name}. */
    Value requested(String name, @Nullable String key) {
        var value = variables.value(name, key);
        var source = value instanceof Value.Text text ? text.source() : variables.source(name);
        if (source.compareTo(Source.CLIENT) >= 0) {
            readings.hasReadClient = true;
        }
        return value;
    }

    /** The index that {@code place} is in {@code list}, or -1. */
    static int index(Value.Items list, String place) {
        var index = Numbers.integer(place);
        return index.isPresent() && index.getAsLong() >= 0 && index.getAsLong() < list.items.size()
                ? (int) index.getAsLong()
                : -1;
    }

    /** A pattern was found; these are its groups. */
    void matched(Value.Items groups) {
        lastMatch = groups;
        names.put(MATCHES, groups);
    }

    @Nullable UserFunction function(String name) {
        return document().functions.get(name);
    }

    Value call(UserFunction function, List<Value> arguments) {
        if (calls == MAX_CALLS) {
            problem("function calls are nested more than " + MAX_CALLS + " levels deep");
            return Value.Null.NULL;
        }
        var local = new Scope(variables, evaluation, readings, document(), calls + 1);
        local.assign(ARGUMENTS, new Value.Items(arguments));
        return function.call(local);
    }

    void edit(ResponseEdits edited) {
        document().edits = edited;
    }

    /** Adds a field line to the response. */
    void addField(String name, String value) {
        var before = edits();
        var fields = new ArrayList<>(before.fields());
        fields.add(new Field(name, value));
        edit(new ResponseEdits(before.status(), fields, before.body()));
    }

    private Scope document() {
        var scope = this;
        while (scope.outer != null) {
            scope = scope.outer;
        }
        return scope;
    }
}
