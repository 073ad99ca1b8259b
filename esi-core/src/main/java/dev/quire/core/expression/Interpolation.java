package dev.quire.core.expression;

import java.util.List;
import java.util.Set;

/** Text of a processing context, cut into what stays and what is evaluated. */
public record Interpolation(List<Piece> pieces) {

    /** One piece of the text; what no piece covers, such as the backslash of {@code \$}, goes. */
    public sealed interface Piece {

        /** Chars that stay as they are. */
        record Verbatim(int start, int end) implements Piece {}

        /** {@code $(...)} or {@code $function(...)}. */
        record Reference(int start, int end, Expression expression) implements Piece {}
    }

    public Interpolation {
        pieces = List.copyOf(pieces);
    }

    /**
     * The pieces of {@code text}, in time proportional to its length.
     *
     * @param text one char for each byte
     * @param functions names of the page's own functions, besides the built-in ones
     */
    public static Interpolation of(String text, Set<String> functions, Dialect dialect) {
        throw new UnsupportedOperationException();
    }
}
