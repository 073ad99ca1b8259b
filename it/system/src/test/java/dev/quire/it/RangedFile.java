package dev.quire.it;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.ReceivedRequest;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A file on an ordinary server, which answers a single range. */
final class RangedFile {
    private RangedFile() {}

    /** Adds the fields of a film that may be stored. */
    static Answer fresh(Answer answer) {
        return answer.field("Cache-Control", "max-age=60")
                .field("Content-Type", "video/mp4")
                .field("ETag", "\"v\"");
    }

    /**
     * Answers a range from a byte on, to another byte or to the end.
     *
     * @param fields adds those of the file; its ETag, if any, must be "v"
     */
    static Function<ReceivedRequest, Answer> of(String text, UnaryOperator<Answer> fields) {
        return request -> {
            var range = request.field("Range");
            var condition = request.field("If-Range");
            if (range == null || !(condition == null || condition.equals("\"v\""))) {
                return fields.apply(Answer.status(200).body(text));
            }
            var ends = range.substring("bytes=".length()).split("-", -1);
            int first = Integer.parseInt(ends[0]);
            int end = ends[1].isEmpty() ? text.length() : Integer.parseInt(ends[1]) + 1;
            var place = "bytes " + first + '-' + (end - 1) + '/' + text.length();
            return fields.apply(
                    Answer.status(206)
                            .body(text.substring(first, end))
                            .field("Content-Range", place));
        };
    }
}
