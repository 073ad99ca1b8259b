package dev.quire.core.expression;

import dev.quire.core.expression.ResponseEdits.Field;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.http.UriPath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The namespace of one document for one request: its variables, functions and response changes.
 * Confined to one thread.
 */
public final class Scope {
    /** Represents a value of the request where only the author's text counts. */
    private static final String PLACEHOLDER = "v";

    /** A function defined by the page. */
    public interface UserFunction {
        /**
         * Returns the value of a call.
         *
         * @param local the namespace of the call, with {@code ARGS}
         */
        Value call(Scope local);
    }

    /** The maximum nesting of calls of the page's own functions. */
    static final int MAX_CALLS = 5;

    /** The steps charged for copying an empty namespace. */
    private static final int FORK_STEPS = 20;

    private static final String MATCHES = "MATCHES";
    private static final String ARGUMENTS = "ARGS";

    /** State shared by all copies and calls of a document. */
    private static final class Readings {
        private boolean hasReadClient;

        /** The most confidential source that the current expression has read so far. */
        private Source source = Source.AUTHOR;
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

    /** The source of the tests and collections that selected the nodes being evaluated. */
    private Source control = Source.AUTHOR;

    /** Of the test being evaluated. */
    private Value.@Nullable Items lastMatch;

    /** Creates an empty namespace. */
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
     * Returns a copy, whose assignments are not visible here. Collections are copied too; two names
     * of one collection remain so in the copy. The document's namespace that a function sees is not
     * copied. If the copy exceeds the budget, it is empty, and that is reported once.
     */
    public Scope fork() {
        var fork = new Scope(variables, evaluation, readings, outer, calls);
        fork.edits = edits;
        fork.control = control;
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
                value instanceof Value.Items
                        ? new Value.Items(List.of(), value.source())
                        : new Value.Dictionary(value.source());
        copies.put(value, copy);
        unfilled.add(value);
        return copy;
    }

    /** Fills the copy of {@code original}; collections inside it are filled later, iteratively. */
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
     * Takes over the contents of {@code fork}, a copy of this scope that must not be used again.
     */
    public void join(Scope fork) {
        names = fork.names;
        functions = fork.functions;
        edits = fork.edits;
    }

    /**
     * Returns the value of {@code expression}; {@link Value.Null} if it has none. It is as
     * confidential as all that was read for it: {@code $(a) == 1} tells something about {@code a}.
     */
    public Value evaluate(Expression expression) {
        var before = readings.source;
        readings.source = Source.AUTHOR;
        var value = evaluator.value(expression);
        var source = readings.source;
        readings.source = before.and(source);
        // The items of a collection have their own sources.
        return value instanceof Value.Items || value instanceof Value.Dictionary
                ? value
                : Value.atLeast(value, source);
    }

    /** Notes that the current expression depends on a value from {@code source}. */
    void noteRead(Source source) {
        readings.source = readings.source.and(source);
    }

    /**
     * Whether {@code test} is true. If so, the groups of its last match are assigned to {@code
     * MATCHES}, and to {@code matchName} unless that is null. Values assigned from now on are at
     * least as confidential as the test, until {@link #restore}.
     */
    public boolean test(Expression test, @Nullable String matchName) {
        lastMatch = null;
        readings.source = Source.AUTHOR;
        boolean holds = evaluator.isTrue(test);
        control = control.and(known(readings.source));
        if (holds && matchName != null && lastMatch != null) {
            assign(matchName, lastMatch);
        }
        return holds;
    }

    /** Returns the source of what a page finds out about a value from {@code source}. */
    private static Source known(Source source) {
        return source == Source.SECRET ? Source.CLIENT : source;
    }

    /** Returns the source of the tests and collections that selected the current nodes. */
    public Source control() {
        return control;
    }

    /** Evaluates nodes that {@code control} selected from now on. */
    public void restore(Source control) {
        this.control = control;
    }

    /** Returns {@code value} as the result of nodes evaluated since the last {@link #restore}. */
    public Value selected(Value value) {
        return Value.atLeast(value, control);
    }

    /**
     * Returns a piece of an attribute, which is sent to an origin, as text. A secret is empty, on
     * the page's own host too: it would be in addresses, logs and stored responses there.
     */
    private Value.Text sendable(Expression piece) {
        var text = Joined.text(evaluate(piece), evaluation);
        if (text.source() != Source.SECRET) {
            return text;
        }
        refuseSecret("value of an attribute");
        return Value.Text.EMPTY;
    }

    /** Returns {@code template} as text, unescaped and without secrets. */
    public Value.Text text(Template template) {
        if (template.pieces().size() == 1) {
            return sendable(template.pieces().getFirst());
        }
        var source = Source.AUTHOR;
        var whole = new StringBuilder();
        for (var piece : template.pieces()) {
            var text = sendable(piece);
            if (!evaluation.mayProduce(text.text().length())) {
                return Value.Text.EMPTY;
            }
            whole.append(text.text());
            source = source.and(text.source());
        }
        return new Value.Text(whole.toString(), source);
    }

    /**
     * The text of a reference.
     *
     * @param hasDotsOfRequest whether a value of the request adds a dot segment to its path
     */
    public record ReferenceText(String text, Source source, boolean hasDotsOfRequest) {
        private static final ReferenceText EMPTY = new ReferenceText("", Source.AUTHOR, false);
    }

    /**
     * Returns {@code template} as a reference: values from the request are percent-encoded where
     * required, except {@code & = / ? %}. It has no secrets.
     *
     * @param forForeignHost whether to leave out values other than the author's text and the
     *     request's address
     */
    public ReferenceText reference(Template template, boolean forForeignHost) {
        var whole = new StringBuilder();
        var authored = new StringBuilder();
        var source = Source.AUTHOR;
        for (var piece : template.pieces()) {
            var text = sendable(piece);
            if (forForeignHost && text.source().compareTo(Source.ADDRESS) > 0) {
                continue;
            }
            var encoded = text.isAuthored() ? text.text() : UriText.legal(text.text());
            if (!evaluation.mayProduce(encoded.length())) {
                return ReferenceText.EMPTY;
            }
            whole.append(encoded);
            authored.append(text.isAuthored() ? encoded : placeholder(encoded));
            source = source.and(text.source());
        }
        var reference = whole.toString();
        boolean hasDotsOfRequest =
                source != Source.AUTHOR
                        && UriPath.dotSegments(reference)
                                > UriPath.dotSegments(authored.toString());
        return new ReferenceText(reference, source, hasDotsOfRequest);
    }

    /** Represents a value of the request; it ends the path where the value does. */
    private static String placeholder(String value) {
        return value.indexOf('?') >= 0 || value.indexOf('#') >= 0 ? PLACEHOLDER + '?' : PLACEHOLDER;
    }

    /** Returns {@code value} escaped for output by {@code escape}; secrets are empty. */
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
     * Returns {@code value} as {@link #written}, for joining with others: it is not escaped again
     * and stays as confidential as it was.
     */
    public Value escaped(Value value, Escape escape) {
        if (escape == Escape.MARKUP) {
            return value;
        }
        var text = Joined.text(value, evaluation);
        return new Value.Text(written(text, escape), text.source(), true, text.isAuthored());
    }

    /**
     * Returns the content of a long assign or of a function: a single value keeps its type, several
     * are joined as text. If the author's part of that contains angle brackets, values from the
     * request are escaped.
     */
    public Value joined(List<Value> values) {
        if (values.size() == 1) {
            return values.getFirst();
        }
        var joined = new Joined(evaluation);
        for (var value : values) {
            joined.add(value);
        }
        var whole = joined.value();
        if (whole instanceof Value.Text text && text.source() == Source.SECRET) {
            refuseSecret("text joined with others");
            return Value.Null.NULL;
        }
        return whole;
    }

    public void assign(String name, Value value) {
        names.put(name, selected(value));
    }

    /**
     * Puts {@code value} into the list or dictionary called {@code name}. A name without a value
     * becomes a dictionary.
     */
    public void assign(String name, Value key, Value value) {
        var collection = named(name);
        var place = Joined.text(key, evaluation);
        if (place.source() == Source.SECRET) {
            refuseSecret("key");
            return;
        }
        var selected = selected(value);
        if (collection != null) {
            selected(Value.atLeast(collection, place.source()));
        }
        switch (collection) {
            case Value.Items list -> {
                int index = index(list, place.text());
                if (index < 0) {
                    problem("assignment to a list item that does not exist");
                } else {
                    list.items.set(index, selected);
                }
            }
            case Value.Dictionary dictionary -> {
                if (evaluation.mayProduce(2 * Evaluation.ITEM_BYTES + place.text().length())) {
                    dictionary.put(place, selected);
                }
            }
            case null -> {
                if (evaluation.mayProduce(3 * Evaluation.ITEM_BYTES + place.text().length())) {
                    var dictionary = new Value.Dictionary(Source.AUTHOR);
                    dictionary.put(place, selected);
                    assign(name, dictionary);
                }
            }
            default -> problem("keyed assignment to a value that is not a collection");
        }
    }

    /**
     * Returns the items of a loop over {@code collection}; empty if it is not a collection. Values
     * assigned from now on are at least as confidential as it, until {@link #restore}.
     */
    public List<Value> items(Value collection) {
        var source = Joined.source(collection, evaluation);
        control = control.and(known(source));
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

    /** Takes {@code bytes} off the budget; false, and reported once, if that exceeds it. */
    public boolean mayProduce(long bytes) {
        return evaluation.mayProduce(bytes);
    }

    /** Takes one loop round off the budget; false, and reported once, if it is exhausted. */
    public boolean mayIterate() {
        return evaluation.mayIterate();
    }

    /**
     * Takes {@code steps} off the budget; false, and reported once, if it is exhausted. For callers
     * that walk nodes repeatedly, in loops and functions.
     */
    public boolean maySpend(int steps) {
        return evaluation.maySpend(steps);
    }

    /** Takes one step off the turn of {@link Evaluation#beginTurn}; false if the turn is over. */
    public boolean mayContinueTurn() {
        return evaluation.mayContinueTurn();
    }

    /** Whether {@code function} is built in and has no side effects. */
    public static boolean isPure(String function) {
        return Functions.named(function) != null && !Functions.isOfResponse(function);
    }

    /** Defines a function of the page; it hides a built-in one. */
    public void define(String name, UserFunction function) {
        functions.put(name, function);
    }

    /** Returns the document's changes to the response so far. */
    public ResponseEdits edits() {
        return document().edits;
    }

    /** Whether anything of the request except its address has been read. */
    public boolean hasReadClient() {
        return readings.hasReadClient;
    }

    /** Reports and counts a problem. */
    public void problem(String what) {
        evaluation.problem(what);
    }

    /** Reports {@code operation} on a secret, whose value is null. */
    void refuseSecret(String operation) {
        problem(
                operation
                        + ": not allowed on a denied cookie or credentials (expected $exists, "
                        + "$is_empty, == '', != '' or the value alone as a test)");
    }

    /** Returns the value that the document has assigned to {@code name}, or null. */
    @Nullable Value named(String name) {
        for (var scope = this; scope != null; scope = scope.outer) {
            var value = scope.names.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** Returns the value of {@code name} in the request or another source. */
    Value requested(String name, @Nullable String key) {
        var value = variables.value(name, key);
        if (value instanceof Value.Text text
                && text.source() == Source.SECRET
                && key != null
                && key.indexOf(';') >= 0) {
            refuseSecret("part of a value");
            value = Value.Null.NULL;
        }
        var source = value instanceof Value.Text text ? text.source() : variables.source(name);
        if (source.compareTo(Source.CLIENT) >= 0) {
            readings.hasReadClient = true;
        }
        return Value.atLeast(value, source);
    }

    /** Returns {@code place} as an index into {@code list}, or -1. */
    static int index(Value.Items list, String place) {
        var index = Numbers.integer(place);
        return index.isPresent() && index.getAsLong() >= 0 && index.getAsLong() < list.items.size()
                ? (int) index.getAsLong()
                : -1;
    }

    void matched(Value.Items groups) {
        lastMatch = groups;
        assign(MATCHES, groups);
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
        local.control = control;
        local.assign(ARGUMENTS, new Value.Items(arguments));
        return function.call(local);
    }

    void edit(ResponseEdits edited) {
        document().edits = edited;
    }

    boolean mayChangeResponse() {
        return variables.changesResponse();
    }

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
