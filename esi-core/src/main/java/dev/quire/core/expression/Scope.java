package dev.quire.core.expression;

import java.util.List;
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

    /** An empty namespace. */
    public Scope(Variables variables, Evaluation evaluation) {
        throw new UnsupportedOperationException();
    }

    /**
     * A copy: what is assigned there is not seen here. Collections are copied too, with what names
     * them.
     */
    public Scope fork() {
        throw new UnsupportedOperationException();
    }

    /** Takes over what {@code fork}, once copied from here, holds now. */
    public void join(Scope fork) {
        throw new UnsupportedOperationException();
    }

    /** The value of {@code expression}; {@link Value.Null} if it has none. */
    public Value evaluate(Expression expression) {
        throw new UnsupportedOperationException();
    }

    /**
     * Whether {@code test} holds; the groups of its last match are then {@code MATCHES}, and {@code
     * matchName} if that is not null.
     */
    public boolean test(Expression test, @Nullable String matchName) {
        throw new UnsupportedOperationException();
    }

    /** {@code template} as text, unescaped. */
    public Value.Text text(Template template) {
        throw new UnsupportedOperationException();
    }

    /**
     * {@code template} as a reference: what comes from the request is percent-encoded where a URI
     * may not hold it, {@code & = / ? %} stay.
     *
     * @param forForeignHost whether only the author's words and the request's address may stand in
     *     it
     */
    public String reference(Template template, boolean forForeignHost) {
        throw new UnsupportedOperationException();
    }

    /** {@code value} as it is written into the page under {@code escape}; secrets are empty. */
    public String written(Value value, Escape escape) {
        throw new UnsupportedOperationException();
    }

    /** Names {@code value}. */
    public void assign(String name, Value value) {
        throw new UnsupportedOperationException();
    }

    /** Puts {@code value} into the list or dictionary called {@code name}, if there is one. */
    public void assign(String name, Value key, Value value) {
        throw new UnsupportedOperationException();
    }

    /** What a loop over {@code collection} yields, one after the other; empty if it is none. */
    public List<Value> items(Value collection) {
        throw new UnsupportedOperationException();
    }

    /** Defines a function of the page's own; it hides a built-in one. */
    public void define(String name, UserFunction function) {
        throw new UnsupportedOperationException();
    }

    /** What the document has asked of the response so far. */
    public ResponseEdits edits() {
        throw new UnsupportedOperationException();
    }

    /** Whether anything of the request but its address has been read. */
    public boolean hasReadClient() {
        throw new UnsupportedOperationException();
    }

    /** Counts and tells of something that could not be done as written. */
    public void problem(String what) {
        throw new UnsupportedOperationException();
    }
}
