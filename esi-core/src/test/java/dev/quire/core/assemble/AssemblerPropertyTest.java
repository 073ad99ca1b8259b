package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** The assembled page does not depend on the order in which fragments arrive. */
class AssemblerPropertyTest {

    private static final int LEVELS = 4;
    private static final int DOCUMENTS_A_LEVEL = 3;

    /** A piece of a document. */
    private sealed interface Piece {
        record Text(String text) implements Piece {}

        /**
         * A fragment of the next level; one that does not exist fails.
         *
         * @param alternative the number of another one, or -1
         */
        record Include(int number, int alternative, boolean continues) implements Piece {}

        record Choice(boolean holds, List<Piece> then, List<Piece> otherwise) implements Piece {}

        record Attempt(List<Piece> attempt, List<Piece> except) implements Piece {}

        record Loop(int rounds, List<Piece> content) implements Piece {}
    }

    /** An include in an attempt has failed. */
    private static final class AttemptFailed extends Exception {
        AttemptFailed() {
            super(null, null, false, false);
        }
    }

    /** Levels of documents; includes in the last one name no existing document. */
    record Model(List<List<List<Piece>>> levels) {

        Map<String, String> documents() {
            var documents = new LinkedHashMap<String, String>();
            for (int level = 0; level < levels.size(); level++) {
                for (int i = 0; i < levels.get(level).size(); i++) {
                    documents.put(
                            level == 0 ? "/" : path(level, i),
                            source(levels.get(level).get(i), level));
                }
            }
            return documents;
        }

        String expected() {
            return document(0, 0);
        }

        private static String path(int level, int number) {
            return "/" + level + "/" + number;
        }

        private static String source(List<Piece> pieces, int level) {
            return pieces.stream().map(piece -> source(piece, level)).collect(Collectors.joining());
        }

        private static String source(Piece piece, int level) {
            return switch (piece) {
                case Piece.Text text -> text.text();
                case Piece.Include include ->
                        "<esi:include src='"
                                + path(level + 1, include.number())
                                + "'"
                                + (include.alternative() < 0
                                        ? ""
                                        : " alt='" + path(level + 1, include.alternative()) + "'")
                                + (include.continues() ? " onerror='continue'" : "")
                                + "/>";
                case Piece.Choice choice ->
                        "<esi:choose><esi:when test=\""
                                + choice.holds()
                                + "\">"
                                + source(choice.then(), level)
                                + "</esi:when><esi:otherwise>"
                                + source(choice.otherwise(), level)
                                + "</esi:otherwise></esi:choose>";
                case Piece.Attempt attempt ->
                        "<esi:try><esi:attempt>"
                                + source(attempt.attempt(), level)
                                + "</esi:attempt><esi:except>"
                                + source(attempt.except(), level)
                                + "</esi:except></esi:try>";
                case Piece.Loop loop ->
                        "<esi:foreach collection=\"[1.."
                                + loop.rounds()
                                + "]\">"
                                + source(loop.content(), level)
                                + "</esi:foreach>";
            };
        }

        /** A document is its own unit: a failure inside it does not affect its surroundings. */
        private String document(int level, int number) {
            try {
                return written(levels.get(level).get(number), level, false);
            } catch (AttemptFailed e) {
                throw new IllegalStateException("failed outside of every attempt", e);
            }
        }

        private String written(List<Piece> pieces, int level, boolean inAttempt)
                throws AttemptFailed {
            var written = new StringBuilder();
            for (var piece : pieces) {
                written.append(written(piece, level, inAttempt));
            }
            return written.toString();
        }

        private String written(Piece piece, int level, boolean inAttempt) throws AttemptFailed {
            return switch (piece) {
                case Piece.Text text -> text.text();
                case Piece.Include include -> {
                    for (int number : List.of(include.number(), include.alternative())) {
                        if (exists(level + 1, number)) {
                            yield document(level + 1, number);
                        }
                    }
                    if (inAttempt && !include.continues()) {
                        throw new AttemptFailed();
                    }
                    yield "";
                }
                case Piece.Choice choice ->
                        written(
                                choice.holds() ? choice.then() : choice.otherwise(),
                                level,
                                inAttempt);
                case Piece.Attempt attempt -> {
                    try {
                        yield written(attempt.attempt(), level, true);
                    } catch (AttemptFailed e) {
                        yield written(attempt.except(), level, inAttempt);
                    }
                }
                case Piece.Loop loop -> {
                    var rounds = new StringBuilder();
                    for (int i = 0; i < loop.rounds(); i++) {
                        rounds.append(written(loop.content(), level, inAttempt));
                    }
                    yield rounds.toString();
                }
            };
        }

        private boolean exists(int level, int number) {
            return level < levels.size() && number >= 0 && number < levels.get(level).size();
        }
    }

    @Provide
    Arbitrary<Model> models() {
        var below = pieces(2).list().ofMaxSize(3).list().ofSize(DOCUMENTS_A_LEVEL);
        return Combinators.combine(
                        pieces(2).list().ofMinSize(1).ofMaxSize(4), below.list().ofSize(LEVELS - 1))
                .as((page, rest) -> {
                    var levels = new ArrayList<List<List<Piece>>>();
                    levels.add(List.of(page));
                    levels.addAll(rest);
                    return new Model(levels);
                });
    }

    @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
    void pageIsWhatOneWouldWriteDown(@ForAll("models") Model model, @ForAll long seed) {
        var page = new Site(model.documents()).assembled(seed, ErrorPolicy.OMIT);

        assertThat(page.problems).isEmpty();
        assertThat(page.output()).isEqualTo(model.expected());
    }

    private static Arbitrary<Piece> pieces(int depth) {
        Arbitrary<Piece> text =
                Arbitraries.strings()
                        .withCharRange('a', 'z')
                        .ofMinLength(1)
                        .ofMaxLength(3)
                        .map(Piece.Text::new);
        Arbitrary<Piece> include =
                Combinators.combine(
                                Arbitraries.integers().between(0, DOCUMENTS_A_LEVEL),
                                Arbitraries.integers().between(-3, DOCUMENTS_A_LEVEL),
                                Arbitraries.of(true, false))
                        .as(Piece.Include::new);
        if (depth == 0) {
            return Arbitraries.oneOf(text, include);
        }
        var inner = pieces(depth - 1).list().ofMaxSize(3);
        return Arbitraries.frequencyOf(
                Tuple.of(4, text),
                Tuple.of(4, include),
                Tuple.of(
                        1,
                        Combinators.combine(Arbitraries.of(true, false), inner, inner)
                                .as(Piece.Choice::new)),
                Tuple.of(2, Combinators.combine(inner, inner).as(Piece.Attempt::new)),
                Tuple.of(
                        1,
                        Combinators.combine(Arbitraries.integers().between(1, 3), inner)
                                .as(Piece.Loop::new)));
    }
}
