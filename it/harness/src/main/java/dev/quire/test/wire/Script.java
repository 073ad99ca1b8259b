package dev.quire.test.wire;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The scripted answers for one path. Guarded by the origin's watch. */
interface Script {
    Script UNSCRIPTED =
            computed(request ->
                    Answer.status(404)
                            .field("Content-Type", "text/plain")
                            .body("no answer is scripted for " + request.target() + "\n"));

    Line next();

    /**
     * The answer to one request.
     *
     * @param early the answer that does not wait for the request's body; null if it waits
     */
    record Line(@Nullable Answer early, Function<ReceivedRequest, Answer> answer) {}

    /** Answers in turn, then the last one repeatedly. */
    static Script sequence(List<Answer> answers) {
        var left = new ArrayDeque<>(answers);
        return () -> {
            var answer = left.size() > 1 ? left.remove() : left.element();
            return new Line(answer.isEarly() ? answer : null, request -> answer);
        };
    }

    /** Answers computed from the complete request. */
    static Script computed(Function<ReceivedRequest, Answer> answer) {
        return () -> new Line(null, answer);
    }
}
