package dev.quire.test.attacks;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.quire.core.http.Fields;
import dev.quire.core.http.Stamp;
import dev.quire.core.policy.SurrogateCapability;
import dev.quire.test.attacks.Dialogue.ScriptedAnswer;
import dev.quire.test.attacks.Dialogue.Server;
import dev.quire.test.attacks.Dialogue.Step;
import dev.quire.test.wire.Answer;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.ReceivedRequest;
import dev.quire.test.wire.Response;
import dev.quire.test.wire.internal.ClientProtocol;
import dev.quire.test.wire.internal.Excerpt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs dialogues, each through a new proxy with an empty store and in front of new servers. A
 * failed expectation is an {@link AssertionError} that names the file and the line.
 */
final class DialogueRunner {
    private static final String NOTHING = "(none)";

    private final AttackTarget target;
    private final boolean isSecure;

    DialogueRunner(AttackTarget target) {
        this.target = target;
        isSecure = ClientProtocol.selected() == ClientProtocol.H2;
    }

    /** A placeholder for the clients' connections; empty if it is another one. */
    private Optional<String> ofConnection(String placeholder) {
        return switch (placeholder) {
            case "scheme" -> Optional.of(isSecure ? "https" : "http");
            case "other scheme" -> Optional.of(isSecure ? "http" : "https");
            case "default port" -> Optional.of(isSecure ? "443" : "80");
            default -> Optional.empty();
        };
    }

    /** An expectation for a control does not hold: the dialogue says nothing about the proxy. */
    static final class ControlFailed extends AssertionError {
        private static final long serialVersionUID = 1;

        ControlFailed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * @throws ControlFailed if the first expectation that does not hold is one for a control
     * @throws AssertionError if it is another, and if the proxy does not start or has sent a
     *     malformed request
     */
    void run(Dialogue dialogue) {
        try (var origin = Origin.start();
                var other = Origin.start()) {
            script(dialogue, Map.of(Server.ORIGIN, origin, Server.OTHER, other));
            try (var proxy = target.start(origin.address(), other.address(), dialogue.config());
                    var conversation = new Conversation(dialogue, origin, other, proxy)) {
                conversation.hold();
            }
        } catch (AssertionError e) {
            var message = String.valueOf(e.getMessage());
            throw message.startsWith(dialogue.file())
                    ? e
                    : new AssertionError(dialogue.file() + ": " + message, e);
        }
    }

    private void script(Dialogue dialogue, Map<Server, Origin> servers) {
        for (var server : Server.values()) {
            var byPath = new TreeMap<String, List<ScriptedAnswer>>();
            for (var answer : dialogue.answers()) {
                if (answer.server() == server) {
                    byPath.merge(answer.path(), List.of(answer), DialogueRunner::concatenated);
                }
            }
            var origin = servers.get(server);
            if (origin == null) {
                throw new IllegalStateException("no such server: " + server);
            }
            byPath.forEach((path, answers) -> {
                var count = new AtomicInteger();
                if (path.equals("*")) {
                    origin.otherwise(request -> answer(answers, request, count, servers));
                } else {
                    origin.on(path, request -> answer(answers, request, count, servers));
                }
            });
        }
    }

    private static <T> List<T> concatenated(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private Answer answer(
            List<ScriptedAnswer> answers,
            ReceivedRequest request,
            AtomicInteger count,
            Map<Server, Origin> servers) {
        int number = count.getAndIncrement();
        var scripted = answers.get(Math.min(number, answers.size() - 1));
        UnaryOperator<String> value =
                placeholder ->
                        ofConnection(placeholder)
                                .orElseGet(
                                        () -> reflected(placeholder, request, number + 1, servers));
        var status = scripted.head().getFirst().filled(value);
        var answer = Answer.status(Integer.parseInt(status.substring(0, 3)));
        for (var line : scripted.head().subList(1, scripted.head().size())) {
            var filled = line.filled(value);
            int colon = filled.indexOf(':');
            answer = answer.field(filled.substring(0, colon), filled.substring(colon + 1).strip());
        }
        return answer.body(scripted.body().filled(value));
    }

    private static String reflected(
            String placeholder, ReceivedRequest request, int number, Map<Server, Origin> servers) {
        int blank = placeholder.indexOf(' ');
        var name = blank < 0 ? "" : placeholder.substring(blank + 1);
        return switch (blank < 0 ? placeholder : placeholder.substring(0, blank)) {
            case "origin" -> authority(servers.get(Server.ORIGIN), name);
            case "other" -> authority(servers.get(Server.OTHER), name);
            case "method" -> request.method();
            case "target" -> request.target();
            case "body" -> request.body().text();
            case "count" -> Integer.toString(number);
            case "stamp" ->
                    SurrogateCapability.stamp(request.fields()).map(Stamp::text).orElse("(none)");
            case "field" -> orNothing(values(request.fields().all(name)));
            case "cookie" -> pair(orNothing(request.field("Cookie")).split("; *", -1), name);
            case "query" -> {
                int query = request.target().indexOf('?');
                var pairs = query < 0 ? "" : request.target().substring(query + 1);
                yield URLDecoder.decode(pair(pairs.split("&", -1), name), ISO_8859_1);
            }
            default -> throw new IllegalStateException("no such placeholder: " + placeholder);
        };
    }

    /**
     * @param part "port", or empty for host and port
     */
    private static String authority(@Nullable Origin server, String part) {
        if (server == null) {
            return NOTHING;
        }
        return (part.isEmpty() ? "127.0.0.1:" : "") + server.address().getPort();
    }

    private static String pair(String[] pairs, String name) {
        for (var pair : pairs) {
            if (pair.startsWith(name + "=")) {
                return pair.substring(name.length() + 1);
            }
        }
        return NOTHING;
    }

    private static String orNothing(@Nullable String value) {
        return value == null ? NOTHING : value;
    }

    private static @Nullable String values(List<String> values) {
        return values.isEmpty() ? null : String.join(", ", values);
    }

    /** One dialogue in progress. One thread. */
    private final class Conversation implements AutoCloseable {
        private final Dialogue dialogue;
        private final Map<Server, Origin> servers;
        private final InetSocketAddress address;
        private final Map<String, HttpWire> connections = new HashMap<>();
        private @Nullable HttpWire connection;
        private @Nullable Response response;
        private String sent = "";
        private boolean isOpen;
        private boolean isControl;

        Conversation(Dialogue dialogue, Origin origin, Origin other, AttackTarget.Running proxy) {
            this.dialogue = dialogue;
            servers = Map.of(Server.ORIGIN, origin, Server.OTHER, other);
            address = proxy.address();
        }

        void hold() {
            for (var step : dialogue.steps()) {
                try {
                    switch (step) {
                        case Step.Request request -> send(request);
                        case Step.Expect expect -> examine(expect.what());
                    }
                } catch (AssertionError e) {
                    var report = report(step, String.valueOf(e.getMessage()));
                    throw isControl ? new ControlFailed(report, e) : new AssertionError(report, e);
                }
            }
        }

        private String report(Step step, String problem) {
            var got = response;
            return "%s:%d: %s\n  rule: %s (%s)\n  sent: %s\n  received: %s"
                    .formatted(
                            dialogue.file(),
                            step.line(),
                            problem,
                            dialogue.rule(),
                            dialogue.section(),
                            Excerpt.of(sent),
                            got == null
                                    ? "no response"
                                    : got.status()
                                            + " "
                                            + Excerpt.of(lines(got.fields()))
                                            + " "
                                            + Excerpt.of(got.text()));
        }

        private static String lines(Fields fields) {
            var lines = new StringBuilder();
            fields.forEach(
                    (name, value) -> lines.append(name).append(": ").append(value).append("\n"));
            return lines.toString();
        }

        private void send(Step.Request request) {
            if (!isOpen) {
                awaitResult();
            }
            isOpen = request.isOpen();
            isControl = request.isControl();
            sent = request.bytes().filled(this::address);
            response = null;
            var open = connections.get(request.actor());
            if (open == null || !request.isAgain()) {
                if (open != null) {
                    open.close();
                }
                open = connect(request.from());
                connections.put(request.actor(), open);
            }
            connection = open.send(sent);
        }

        private HttpWire connect(String from) {
            try {
                var socket = new Socket();
                socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
                return HttpWire.to(address, socket);
            } catch (IOException e) {
                throw new UncheckedIOException("not an address: " + from, e);
            }
        }

        private void examine(Expectation expectation) {
            switch (expectation) {
                case Expectation.Status(var claim) ->
                        check("status", claim, Integer.toString(response().status()));
                case Expectation.Body(var claim) -> check("body", claim, response().text());
                case Expectation.Field(var name, var claim) ->
                        check("field " + name, claim, values(response().fields().all(name)));
                case Expectation.Received(var server, var name, var path, var claim) ->
                        check(
                                "field " + name + " at " + server,
                                claim,
                                values(last(server, path).fields().all(name)));
                case Expectation.Target(var server, var claim) ->
                        check("target at " + server, claim, last(server, null).target());
                case Expectation.Asked(var server, var path, var claim) ->
                        check(
                                "requests for " + (path == null ? server : path),
                                claim,
                                Integer.toString(requests(server, path).size()));
                case Expectation.Closed() -> connection().awaitClosed();
                case Expectation.Refused() -> refused();
            }
        }

        private void check(String what, Expectation.Claim claim, @Nullable String found) {
            var expected = claim.value().filled(this::address);
            if (!claim.holds(found, expected)) {
                var comparison = claim.verb().word + (expected.isEmpty() ? "" : " ");
                throw new AssertionError(
                        "%s: expected: %s%s; found: %s"
                                .formatted(
                                        what,
                                        comparison,
                                        expected.isEmpty() ? "" : Excerpt.of(expected),
                                        found == null ? "absent" : Excerpt.of(found)));
            }
        }

        /** Waits for the response, or for the end of the connection. */
        private void awaitResult() {
            var open = connection;
            if (response == null && open != null && !open.awaitEnded()) {
                response = open.response();
            }
        }

        private void refused() {
            awaitResult();
            if (response == null) {
                return;
            }
            int status = response().status();
            if (status < 400 || status == 500 || status > 505) {
                throw new AssertionError(
                        "expected a status of refusal or the connection to close, found " + status);
            }
        }

        private Response response() {
            var got = response;
            if (got == null) {
                got = connection().response();
                response = got;
            }
            return got;
        }

        private HttpWire connection() {
            if (connection == null) {
                throw new AssertionError("expected a request before this line");
            }
            return connection;
        }

        private Origin server(Server server) {
            var found = servers.get(server);
            if (found == null) {
                throw new IllegalStateException("no such server: " + server);
            }
            return found;
        }

        private List<ReceivedRequest> requests(Server server, @Nullable String path) {
            awaitResult();
            var origin = server(server);
            return path == null ? origin.requests() : origin.requests(path);
        }

        private ReceivedRequest last(Server server, @Nullable String path) {
            var requests = requests(server, path);
            if (requests.isEmpty()) {
                throw new AssertionError("expected a request at " + server + ", found no request");
            }
            return requests.getLast();
        }

        private String address(String placeholder) {
            var known = ofConnection(placeholder);
            if (known.isPresent()) {
                return known.get();
            }
            var server = placeholder.startsWith("other") ? Server.OTHER : Server.ORIGIN;
            return authority(server(server), placeholder.endsWith("port") ? "port" : "");
        }

        @Override
        public void close() {
            connections.values().forEach(HttpWire::close);
        }
    }
}
