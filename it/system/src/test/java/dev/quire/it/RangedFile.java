package dev.quire.it;

import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.RunningProxy;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A file on an ordinary server, which answers a single range. */
final class RangedFile {
    /** Its Last-Modified, if it has one. */
    static final String MODIFIED = "Thu, 01 Jan 2015 12:00:00 GMT";

    private RangedFile() {}

    /** Adds the fields of a film that may be stored. */
    static Answer fresh(Answer answer) {
        return answer.field("Cache-Control", "max-age=60")
                .field("Content-Type", "video/mp4")
                .field("ETag", "\"v\"");
    }

    /** The responses to a request for the whole and to one for a part. */
    record Both(Response whole, Response part) {}

    /** Requests a file and, before the origin answers, two bytes of it. */
    static Both wholeAndThenAPart(Origin origin, RunningProxy proxy, String path) {
        var held = origin.hold(path);
        try (var one = proxy.connect();
                var other = proxy.connect()) {
            one.request("GET", path);
            held.awaitWaiting(1);
            other.request("GET", path, "Range", "bytes=3-4");
            proxy.awaitMetric("quire_exchanges_waiting", 2);
            held.release();
            return new Both(one.response(), other.response());
        }
    }

    /** How many requests for {@code path} the origin has received with Range. */
    static long askedWithRange(Origin origin, String path) {
        return origin.requests(path).stream()
                .filter(request -> request.field("Range") != null)
                .count();
    }

    /**
     * Answers a range from a byte on, to another byte or to the end.
     *
     * @param fields adds those of the file; its ETag, if any, must be "v", its Last-Modified {@link
     *     #MODIFIED}
     */
    static Function<ReceivedRequest, Answer> of(String text, UnaryOperator<Answer> fields) {
        return request -> {
            var range = request.field("Range");
            var condition = request.field("If-Range");
            boolean isSame =
                    condition == null || condition.equals("\"v\"") || condition.equals(MODIFIED);
            if (range == null || !isSame) {
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
