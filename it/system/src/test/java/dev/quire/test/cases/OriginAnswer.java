package dev.quire.test.cases;

import dev.quire.core.http.FieldList;
import dev.quire.core.http.Fields;
import dev.quire.it.SlowLine;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.Content;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;

/**
 * The origin's answer for one path in a case.
 *
 * @param delay before the first byte
 * @param gzip whether the body is sent compressed, even if not requested
 */
record OriginAnswer(
        int status,
        Map<String, String> fields,
        Content body,
        Duration delay,
        Optional<Fault> fault,
        boolean gzip) {

    /** Added in a hit run to an answer without caching fields. */
    static final String FRESH = "max-age=60";

    private static final int LONGEST_DELAY_MILLIS = 10_000;

    /** A fault in an answer. */
    enum Fault {
        /** Sends no byte and resets the connection. */
        CONNECTION_RESET,
        /** Announces a length of 100 and closes the connection after the shorter body. */
        CONTENT_LENGTH_100_THEN_CLOSE;

        String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Reads an answer; problems are reported to {@code entry}. */
    static OriginAnswer read(Entry entry) {
        int status = entry.number("status", 200, 999).orElse(200);
        var fields = entry.textsByName("headers");
        var body = BodyText.read(entry).orElse(Content.of(new byte[0]));
        int delay = entry.number("delayMs", 0, LONGEST_DELAY_MILLIS).orElse(0);
        var fault = entry.text("fault").flatMap(word -> fault(entry, word));
        boolean gzip = entry.truth("gzip").orElse(false);
        if (body.length() >= 100
                && fault.equals(Optional.of(Fault.CONTENT_LENGTH_100_THEN_CLOSE))) {
            entry.wrong("fault", "has nothing to cut off", "a body of less than 100 bytes");
        }
        entry.refuseOthers();
        return new OriginAnswer(status, fields, body, Duration.ofMillis(delay), fault, gzip);
    }

    private static Optional<Fault> fault(Entry entry, String word) {
        for (var fault : Fault.values()) {
            if (fault.word().equals(word)) {
                return Optional.of(fault);
            }
        }
        entry.wrong(
                "fault",
                "'" + word + "' is not a known fault",
                String.join(" or ", List.of(Fault.values()).stream().map(Fault::word).toList()));
        return Optional.empty();
    }

    /** Its field lines in {@code run}, except those for framing. */
    Fields fieldsIn(Run run) {
        var lines = new Fields.Builder().addAll(fieldLines());
        if (gzip) {
            lines.add("Content-Encoding", "gzip");
        }
        return run instanceof Run.Hit && !saysFreshness()
                ? lines.add("Cache-Control", FRESH).build()
                : lines.build();
    }

    /** Its body as it is sent. */
    Content sent() {
        return gzip ? compressed(body) : body;
    }

    /** The answer that the origin sends in {@code run}. */
    Answer answer(Run run) {
        var answer = Answer.status(status).delayed(delay);
        for (var field : fields.entrySet()) {
            answer = answer.field(field.getKey(), field.getValue());
        }
        if (gzip) {
            answer = answer.field("Content-Encoding", "gzip");
        }
        answer = answer.body(sent().bytes());
        if (fault.isPresent()) {
            return switch (fault.get()) {
                case CONNECTION_RESET -> Answer.reset().delayed(delay);
                case CONTENT_LENGTH_100_THEN_CLOSE ->
                        inPieces(answer.field("Content-Length", "100"), run)
                                .cutAfter(body.length());
            };
        }
        return switch (run) {
            case Run.Whole whole -> answer;
            case Run.Pieces pieces -> inPieces(answer, pieces);
            case Run.Hit hit -> saysFreshness() ? answer : answer.field("Cache-Control", FRESH);
        };
    }

    /** Each piece as a chunk; if the case sets the framing itself, pieces without chunks. */
    private Answer inPieces(Answer answer, Run run) {
        if (!(run instanceof Run.Pieces(int bytes))) {
            return answer;
        }
        boolean framed = fault.isPresent() || has("Content-Length") || has("Transfer-Encoding");
        return framed ? answer.through(SlowLine.dripping(bytes)) : answer.inChunksOf(bytes);
    }

    private boolean saysFreshness() {
        return status != 200
                || !delay.isZero()
                || has("Cache-Control")
                || has("Expires")
                || has("Set-Cookie")
                || surrogateSaysFreshness();
    }

    private boolean surrogateSaysFreshness() {
        var lines = fieldLines().all("Surrogate-Control");
        return FieldList.members(lines).stream()
                .map(directive -> directive.toLowerCase(Locale.ROOT))
                .anyMatch(name -> name.startsWith("max-age") || name.startsWith("no-store"));
    }

    private boolean has(String name) {
        return fieldLines().contains(name);
    }

    private Fields fieldLines() {
        var lines = new Fields.Builder();
        fields.forEach(lines::add);
        return lines.build();
    }

    private static Content compressed(Content body) {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body.bytes());
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail", e);
        }
        return Content.of(bytes.toByteArray());
    }
}
