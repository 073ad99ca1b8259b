package dev.quire.core.parse;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Tables of pages with the expected output of the parser, for any chunking. */
final class Pages {

    private static final List<Integer> PIECES = List.of(Integer.MAX_VALUE, 1, 2, 3, 7, 16);

    private Pages() {}

    /** A page without errors. */
    static Arguments page(String document, String output) {
        return page(document, output, 0);
    }

    /**
     * A page.
     *
     * @param output as {@link RenderedNodes} prints it
     * @param errors the number of diagnostics
     */
    static Arguments page(String document, String output, int errors) {
        return Arguments.of(document, output, errors);
    }

    /** Returns the page with every chunk size prepended. */
    static Stream<Arguments> inPieces(Arguments page) {
        return PIECES.stream()
                .map(piece -> {
                    var values = Arrays.asList(page.get());
                    return Arguments.of(piece, values.get(0), values.get(1), values.get(2));
                });
    }
}
