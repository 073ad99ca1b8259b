package dev.quire.test.wire;

import java.util.List;
import java.util.function.Function;

/** The scripted answers for one path. Guarded by the origin's watch. */
sealed interface Script {

    /** For targets without a script. */
    Script UNSCRIPTED =
            new Computed(request ->
                    Answer.status(404)
                            .field("Content-Type", "text/plain")
                            .body("no answer is scripted for " + request.target() + "\n"));

    /** The line for the request that has just arrived. */
    Line next();

    /** The answer to one request. */
    sealed interface Line {
        record Fixed(Answer answer) implements Line {}

        record Computed(Function<ReceivedRequest, Answer> answer) implements Line {}
    }

    /** Answers in turn, then the last one repeatedly. */
    final class Sequence implements Script {
        private final List<Answer> answers;
        private int said;

        Sequence(List<Answer> answers) {
            this.answers = answers;
        }

        @Override
        public Line next() {
            var answer = answers.get(said);
            if (said < answers.size() - 1) {
                said++;
            }
            return new Line.Fixed(answer);
        }
    }

    /** An answer computed from the request. */
    record Computed(Function<ReceivedRequest, Answer> answer) implements Script {
        @Override
        public Line next() {
            return new Line.Computed(answer);
        }
    }
}
