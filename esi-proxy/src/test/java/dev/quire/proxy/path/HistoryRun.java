package dev.quire.proxy.path;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.path.History.Fault;
import dev.quire.proxy.path.History.Reply;
import dev.quire.proxy.path.History.Step;
import dev.quire.proxy.reference.Lines;
import dev.quire.proxy.reference.ReferenceCache;
import dev.quire.proxy.reference.ReferenceCache.Answer;
import dev.quire.proxy.reference.ReferenceCache.Outcome;
import dev.quire.proxy.reference.Request;
import dev.quire.proxy.reference.Response;
import dev.quire.proxy.reference.Settings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** Runs one history with the proxy and with the reference model. */
final class HistoryRun implements AutoCloseable {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** The request fields that the origin must receive. */
    private static final List<String> HEARD =
            List.of(
                    "if-none-match",
                    "if-modified-since",
                    "x-a",
                    "accept-language",
                    "cookie",
                    "authorization");

    /** The response fields that clients must receive. */
    private static final List<String> SEEN =
            List.of(
                    "age",
                    "cache-control",
                    "content-location",
                    "date",
                    "etag",
                    "expires",
                    "last-modified",
                    "location",
                    "set-cookie",
                    "vary",
                    "x-secret",
                    "x-version");

    /** The fields of a 304 (RFC 9110 §15.4.5). */
    private static final List<String> SEEN_OF_304 =
            List.of("age", "cache-control", "content-location", "date", "etag", "expires", "vary");

    private final Optional<Path> directory;
    private final ReferenceCache model;
    private OneThread product;
    private Instant now;

    /** The time since the last wait, which is shorter by that: lifetimes end exactly after some. */
    private Duration settling = Duration.ZERO;

    private int answers;
    private int answersOfModel;

    private HistoryRun(Optional<Path> directory) {
        this.directory = directory;
        now = OneThread.NOON;
        product = started();
        model =
                new ReferenceCache(
                        URI.create("http://news.test"),
                        new Settings(
                                Duration.ofSeconds(10),
                                Duration.ZERO,
                                Duration.ofSeconds(60),
                                SECOND,
                                directory.isEmpty()),
                        now);
    }

    /** Fails at the first step in which the two differ. */
    static void of(History history) {
        try (var run = new HistoryRun(Optional.empty())) {
            run.take(history);
        }
    }

    /** The same without memory: all responses are stored in {@code directory}. */
    static void onDisk(History history, Path directory) {
        try (var run = new HistoryRun(Optional.of(directory))) {
            run.take(history);
        }
    }

    private OneThread started() {
        var rules = new OneThread.Rules().beginning(Duration.between(OneThread.NOON, now));
        return new OneThread(directory.map(rules::withoutMemory).orElse(rules));
    }

    private void take(History history) {
        for (int i = 0; i < history.steps().size(); i++) {
            var step = history.steps().get(i);
            take(step, "step " + (i + 1) + ": " + step);
        }
    }

    @Override
    public void close() {
        product.close();
    }

    private void take(Step step, String name) {
        switch (step) {
            case Step.Wait wait -> {
                var left = wait.time().minus(settling);
                if (left.isPositive()) {
                    model.pass(left);
                    pass(left);
                }
                settling = Duration.ZERO;
            }
            case Step.Restart restart -> {
                product.close();
                model.pass(Duration.between(now, product.now()));
                now = product.now();
                product = started();
            }
            case Step.PurgeTarget purge -> {
                model.purgeTarget(purge.target(), purge.isSoft());
                product.purge(purge.target(), purge.isSoft());
            }
            case Step.PurgeTag purge -> {
                model.purgeTag(purge.tag(), purge.isSoft());
                product.purgeTag(purge.tag(), purge.isSoft());
            }
            case Step.Ask ask -> {
                if (!ask.request().isGet() && !ask.request().isHead()) {
                    // The model invalidates each URL at once, and not once a second.
                    take(new Step.Wait(Duration.ofSeconds(1)), name);
                }
                compare(ask, name);
                settle();
            }
        }
    }

    /** No response is found any more because it was just written: the next hits are the disk's. */
    private void settle() {
        if (directory.isPresent()) {
            product.settleDisk();
            now = now.plus(OwnTier.OVERLAP);
            model.pass(OwnTier.OVERLAP);
            settling = settling.plus(OwnTier.OVERLAP);
        }
    }

    private void compare(Step.Ask ask, String name) {
        var request =
                new Request(
                        ask.request().method(),
                        ask.request().target(),
                        History.at(now, ask.request().fields()));

        if (request.isHead() && !model.hasAtHand(request)) {
            // Updates of stored responses by HEAD are not part of these histories.
            return;
        }

        var expectedAsked = new ArrayList<Request>();
        var expected =
                model.answer(
                        request,
                        asked -> {
                            expectedAsked.add(heard(asked));
                            return outcome(ask.reply(), asked);
                        });
        var asked = new ArrayList<Request>();
        var text = answered(request, ask.reply(), asked);

        assertThat(asked).as("requests to the origin in %s", name).isEqualTo(expectedAsked);
        assertThat(now).as("the time after %s", name).isEqualTo(model.now());
        agree(text, expected, name);
    }

    private static void agree(Received found, Answer expected, String name) {
        var response = found.response();
        int status = response.status();
        if (status == 304 && expected.mayBeNotModified()) {
            return;
        }
        assertThat(status).as("status of %s", name).isEqualTo(expected.response().status());
        if (expected.response().fields().lines().isEmpty()) {
            assertThat(response.fields().has("x-version"))
                    .as("generated by the proxy: %s", name)
                    .isFalse();
            return;
        }
        var compared = status == 304 ? SEEN_OF_304 : SEEN;
        assertThat(only(compared, response.fields()))
                .as("fields of %s", name)
                .isEqualTo(only(compared, expected.response().fields()));
        assertThat(response.body()).as("body of %s", name).isEqualTo(expected.response().body());
        assertThat(found.isCut()).as("whether %s is cut", name).isEqualTo(expected.isCut());
    }

    // The model's origin.

    private Outcome outcome(Reply reply, Request asked) {
        if (reply.fault() == Fault.SILENT) {
            return new Outcome.Silent(Duration.ZERO);
        }
        var response = response(reply, asked, ++answersOfModel, model.now().plus(reply.after()));
        return reply.fault() == Fault.CUT && hasBody(asked, response.status())
                ? new Outcome.Cut(response, reply.after())
                : new Outcome.Answered(response, reply.after());
    }

    private static Response response(Reply reply, Request asked, int version, Instant at) {
        boolean isConditional =
                asked.fields().has("if-none-match") || asked.fields().has("if-modified-since");
        if (isConditional && reply.ifConditional().isPresent()) {
            var notModified = reply.ifConditional().get();
            var fields = History.at(at, notModified.fields()).with("X-Version", "n" + version);
            var tag = asked.fields().first("if-none-match");
            return new Response(
                    304,
                    switch (notModified.tag()) {
                        case SAME -> tag.map(same -> fields.with("ETag", same)).orElse(fields);
                        case NONE -> fields;
                        case WEAKENED ->
                                tag.map(same -> fields.with("ETag", "W/" + same.replace("W/", "")))
                                        .orElse(fields);
                        case OTHER -> fields.with("ETag", "\"other\"");
                    },
                    "");
        }
        var fields = History.at(at, reply.fields()).with("X-Version", "v" + version);
        var body = hasBody(asked, reply.status()) ? "body " + version : "";
        return new Response(reply.status(), fields, body);
    }

    private static boolean hasBody(Request asked, int status) {
        return !asked.isHead() && status != 204 && status != 304;
    }

    // The proxy's origin.

    private Received answered(Request request, Reply reply, List<Request> asked) {
        var client = product.client();
        var lines = request.fields().lines().stream().map(Lines.Line::toString);
        client.send(
                OneThread.request(
                        request.method(), request.target(), lines.toArray(String[]::new)));
        for (var news = questions(client); !news.isEmpty(); news = questions(client)) {
            for (var question : news) {
                var heard = heard(message(question.text()));
                if (reply.fault() != Fault.SILENT) {
                    asked.add(heard);
                    answer(question, reply, heard);
                } else {
                    // Retries on another connection are invisible to the cache.
                    if (!asked.contains(heard)) {
                        asked.add(heard);
                    }
                    question.close();
                }
            }
        }
        var text = client.received();
        boolean isClosed = client.isClosed();
        client.hangUp();
        return received(text, isClosed);
    }

    private List<OneThread.Asked> questions(OneThread.Client client) {
        product.awaitReaction(client);
        return product.questions();
    }

    private void answer(OneThread.Asked question, Reply reply, Request heard) {
        // A client may get a stale response in the meantime.
        for (var left = reply.after(); left.isPositive(); left = left.minus(SECOND)) {
            pass(SECOND);
        }
        var response = response(reply, heard, ++answers, now);
        var raw = new StringBuilder("HTTP/1.1 " + response.status() + " As Told\r\n");
        response.fields().lines().forEach(line -> raw.append(line).append("\r\n"));
        boolean isCut = reply.fault() == Fault.CUT && hasBody(heard, response.status());
        if (response.status() != 204 && response.status() != 304) {
            int missing = isCut ? 3 : 0;
            raw.append("Content-Length: ").append(response.body().length() + missing);
            raw.append("\r\n");
        }
        question.say(raw + "\r\n" + response.body());
        if (isCut) {
            question.close();
        }
    }

    private void pass(Duration time) {
        if (!time.isZero()) {
            product.leap(time);
            now = now.plus(time);
        }
    }

    // The responses sent.

    /** A response as a client parses it. */
    private record Received(Response response, boolean isCut) {}

    private static Received received(String text, boolean isClosed) {
        var message = message(text);
        int status = Integer.parseInt(text.substring(9, 12));
        var body = text.substring(text.indexOf("\r\n\r\n") + 4);
        var length = message.fields().first("content-length").map(Integer::parseInt);
        boolean isCut = isClosed && length.filter(all -> all > body.length()).isPresent();
        return new Received(new Response(status, message.fields(), body), isCut);
    }

    private static Request message(String text) {
        assertThat(text).contains("\r\n\r\n");
        var head = text.substring(0, text.indexOf("\r\n\r\n")).split("\r\n", -1);
        var start = head[0].split(" ", 3);
        var fields =
                Arrays.stream(head)
                        .skip(1)
                        .map(line -> line.split(": ?", 2))
                        .map(line -> new Lines.Line(line[0], line[1]))
                        .toList();
        return new Request(start[0], start[1], new Lines(fields));
    }

    private static Request heard(Request request) {
        return new Request(request.method(), request.target(), only(HEARD, request.fields()));
    }

    /** The fields with one of {@code names}, by name. */
    private static Lines only(List<String> names, Lines fields) {
        Predicate<String> isOther = name -> !names.contains(name);
        return new Lines(
                fields.without(isOther).lines().stream()
                        .map(line ->
                                new Lines.Line(line.name().toLowerCase(Locale.ROOT), line.value()))
                        .sorted(Comparator.comparing(Lines.Line::name))
                        .toList());
    }
}
