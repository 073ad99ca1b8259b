package dev.quire.test.cases;

import dev.quire.core.assemble.ErrorPolicy;
import dev.quire.core.assemble.Limits;
import dev.quire.core.expression.VariableRules;
import dev.quire.core.http.Fields;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.ResponseHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.Settings;
import dev.quire.test.Content;
import dev.quire.test.HandSetClock;
import dev.quire.test.Response;
import dev.quire.test.TestClock;
import dev.quire.test.memory.Bytes;
import dev.quire.test.memory.PageServer;
import dev.quire.test.memory.Rules;
import dev.quire.test.memory.Times;
import dev.quire.test.memory.Upstream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The assembler in memory, a new one for each run. Its clock stands still. */
final class MemorySubject implements Subject {
    private final HandSetClock clock = TestClock.handSet();
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private @Nullable PageServer server;

    @Override
    public void begin(Case one, Run run) {
        seen.clear();
        server =
                new PageServer(
                        (request, body) -> answer(one, run, request, body),
                        rules(one.config().settings()),
                        new Times(clock::now, clock::wall, clock::originWall, clock::steadyWall));
    }

    @Override
    public Response ask(ClientRequest request) {
        var lines = new Fields.Builder();
        request.fields().forEach(lines::add);
        var fields = lines.build();
        var served =
                Objects.requireNonNull(server, "no run has begun")
                        .serve(
                                new RequestHead(
                                        request.method(),
                                        Scheme.HTTP,
                                        Objects.requireNonNull(fields.first("Host")),
                                        request.target(),
                                        fields),
                                Bytes.NONE);
        if (served.isCut()) {
            throw new AssertionError("expected a whole response, found one that breaks off");
        }
        return new Response(
                "HTTP/1.1",
                served.head().status(),
                served.head().fields(),
                Content.of(served.body().copy()),
                List.of(),
                true);
    }

    @Override
    public List<Seen> seen() {
        return List.copyOf(seen);
    }

    @Override
    public void end() {}

    @Override
    public void close() {}

    private Upstream.Answer answer(Case one, Run run, RequestHead request, Bytes body) {
        seen.add(
                new Seen(
                        request.method(),
                        request.authority(),
                        request.target(),
                        request.fields(),
                        Content.of(body.copy())));
        var said = one.answerTo(request.authority(), request.target());
        if (said == null) {
            return new Upstream.Answer.Whole(
                    new ResponseHead(404, "", Fields.of("Content-Type", "text/plain")),
                    new Bytes("the case says nothing of it\n".getBytes(StandardCharsets.UTF_8)));
        }
        LockSupport.parkNanos(said.delay().toNanos());
        var head = new ResponseHead(said.status(), "", said.fieldsIn(run));
        var sent = new Bytes(request.isHead() ? new byte[0] : said.sent().bytes());
        return switch (said.fault().orElse(null)) {
            case null -> new Upstream.Answer.Whole(head, sent);
            case CONNECTION_RESET -> new Upstream.Answer.None("the connection is reset");
            case CONTENT_LENGTH_100_THEN_CLOSE -> new Upstream.Answer.Cut(head, sent);
        };
    }

    /**
     * The settings of a case, whose values are JSON.
     *
     * @throws AssertionError if there is no such setting
     */
    private static Rules rules(Map<String, String> settings) {
        var rules = Rules.STANDARD;
        for (var setting : settings.entrySet()) {
            rules = with(rules, setting.getKey(), new JsonMapper().readTree(setting.getValue()));
        }
        return rules;
    }

    private static Rules with(Rules rules, String key, JsonNode value) {
        var variables = rules.variables();
        var limits = rules.limits();
        return switch (key) {
            case "content-types" -> of(rules, rules.settings(), texts(value), rules.allowedHosts());
            case "allowed-hosts" -> of(rules, rules.settings(), rules.contentTypes(), texts(value));
            case "device-token" ->
                    of(
                            rules,
                            called(rules.settings(), value.asString()),
                            rules.contentTypes(),
                            rules.allowedHosts());
            case "on-error" ->
                    of(
                            rules,
                            limits,
                            value.asString().equals("fail") ? ErrorPolicy.FAIL : ErrorPolicy.OMIT,
                            variables,
                            rules.passSetCookie());
            case "max-depth" ->
                    of(
                            rules,
                            new Limits(value.asInt(), limits.maxIncludes(), limits.maxInFlight()),
                            rules.onError(),
                            variables,
                            rules.passSetCookie());
            case "max-includes" ->
                    of(
                            rules,
                            new Limits(limits.maxDepth(), value.asInt(), limits.maxInFlight()),
                            rules.onError(),
                            variables,
                            rules.passSetCookie());
            case "pass-set-cookie" ->
                    of(rules, limits, rules.onError(), variables, value.asBoolean());
            case "denied-cookies", "decode-query", "args-prefix", "variables" ->
                    of(
                            rules,
                            limits,
                            rules.onError(),
                            with(variables, key, value),
                            rules.passSetCookie());
            default -> throw new AssertionError("a setting the assembler in memory lacks: " + key);
        };
    }

    private static VariableRules with(VariableRules rules, String key, JsonNode value) {
        return new VariableRules(
                key.equals("denied-cookies") ? List.copyOf(texts(value)) : rules.deniedCookies(),
                key.equals("decode-query") ? value.asBoolean() : rules.decodesQuery(),
                key.equals("args-prefix") ? Optional.of(value.asString()) : rules.argumentsPrefix(),
                key.equals("variables") ? textsByName(value) : rules.variables(),
                rules.escapes());
    }

    private static Rules of(
            Rules rules, Settings settings, Set<String> contentTypes, Set<String> allowedHosts) {
        return new Rules(
                settings,
                contentTypes,
                allowedHosts,
                rules.limits(),
                rules.onError(),
                rules.variables(),
                rules.passSetCookie(),
                rules.timing());
    }

    private static Rules of(
            Rules rules,
            Limits limits,
            ErrorPolicy onError,
            VariableRules variables,
            boolean passSetCookie) {
        return new Rules(
                rules.settings(),
                rules.contentTypes(),
                rules.allowedHosts(),
                limits,
                onError,
                variables,
                passSetCookie,
                rules.timing());
    }

    private static Settings called(Settings settings, String deviceToken) {
        return new Settings(
                settings.grace(),
                settings.staleIfError(),
                settings.staleIfUnreachable(),
                settings.heuristic(),
                settings.storeSetCookie(),
                deviceToken);
    }

    private static Set<String> texts(JsonNode array) {
        var texts = new LinkedHashSet<String>();
        array.forEach(text -> texts.add(text.asString()));
        return texts;
    }

    private static Map<String, String> textsByName(JsonNode object) {
        var texts = new LinkedHashMap<String, String>();
        object.properties()
                .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asString()));
        return texts;
    }
}
