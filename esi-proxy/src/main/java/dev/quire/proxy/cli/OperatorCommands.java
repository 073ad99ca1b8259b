package dev.quire.proxy.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.quire.core.http.DurationText;
import dev.quire.proxy.cli.AdminClient.Reply;
import dev.quire.proxy.cli.AdminClient.Unreachable;
import dev.quire.proxy.cli.Command.Arguments;
import dev.quire.proxy.config.AdminAccess;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The commands for a running proxy: each sends one request to its admin port and prints the answer,
 * as JSON if {@code --json} is given. Some commands may have several proxies. Exit status: 0 done,
 * 1 the proxy declines or nothing matches a purge, 2 wrong arguments or configuration, 3 no proxy
 * answers.
 */
final class OperatorCommands {
    private static final int OK = 0;
    private static final int DECLINED = 1;
    private static final int WRONG = 2;
    private static final int UNREACHABLE = 3;

    private static final String NOT_DURABLE =
            "it is in effect, but it could not be stored on disk or in memcached: after a restart,"
                    + " the proxy may send the responses again, and with memcached so may others"
                    + " (expected the same command after the next restart)";

    /** The members of the answer to a purge, each a number of responses. */
    private static final List<String> PURGED_BY = List.of("urls", "tags", "hosts", "paths");

    private static final JsonMapper JSON = JsonMapper.shared();

    private final UnaryOperator<@Nullable String> environment;
    private final PrintWriter out;
    private final PrintWriter err;

    /** The port of the only proxy; null until it is found. */
    private final @Nullable AdminAccess only;

    private boolean hasFailed;

    /**
     * @param environment returns the value of a variable, or null if it is not set
     */
    OperatorCommands(
            UnaryOperator<@Nullable String> environment, PrintWriter out, PrintWriter err) {
        this(environment, null, out, err);
    }

    private OperatorCommands(
            UnaryOperator<@Nullable String> environment,
            @Nullable AdminAccess only,
            PrintWriter out,
            PrintWriter err) {
        this.environment = environment;
        this.only = only;
        this.out = out;
        this.err = err;
    }

    /** The request of a command. */
    @FunctionalInterface
    private interface Request {
        Reply send(AdminClient client) throws Unreachable, InterruptedException;
    }

    /** Executes {@code command} and returns the exit status. */
    int execute(Command command, Arguments arguments)
            throws Command.InvalidUsage, InterruptedException {
        if (!command.isForSeveral()) {
            return executeOnce(command, arguments);
        }
        List<AdminAccess> proxies;
        try {
            proxies =
                    AdminAccess.all(
                            arguments.values("admin"),
                            Optional.ofNullable(arguments.value("admin-token-file")),
                            Optional.ofNullable(Cli.path(arguments.value("config"))),
                            environment);
        } catch (InvalidConfiguration e) {
            return refuse(e);
        }
        if (proxies.size() == 1) {
            return new OperatorCommands(environment, proxies.getFirst(), out, err)
                    .executeOnce(command, arguments);
        }
        return new SeveralProxies(arguments.has("json"), out, err)
                .execute(
                        proxies,
                        (access, printed, errors) -> {
                            var one = new OperatorCommands(environment, access, printed, errors);
                            int status = one.executeOnce(command, arguments);
                            return new SeveralProxies.Outcome(status, one.hasFailed);
                        });
    }

    private int executeOnce(Command command, Arguments arguments)
            throws Command.InvalidUsage, InterruptedException {
        return switch (command) {
            case RELOAD -> reload(arguments);
            case CONFIRM ->
                    run(arguments, client -> client.post("/v1/config/confirm", ""), this::inUse);
            case ROLLBACK -> rollback(arguments);
            case GENERATIONS ->
                    run(
                            arguments,
                            client -> client.get("/v1/config/generations"),
                            this::generations);
            case CONFIG -> config(arguments);
            case DRAIN ->
                    run(
                            arguments,
                            client -> client.post("/v1/drain", ""),
                            answer -> out.println("the proxy drains and ends"));
            case PURGE -> purge(arguments);
            case BAN -> ban(arguments);
            case BANS -> run(arguments, client -> client.get("/v1/bans"), this::bans);
            case UNBAN -> unban(arguments);
            case TIERS -> tiers(arguments);
            case FLEET ->
                    run(
                            arguments,
                            client -> client.get("/v1/fleet"),
                            answer -> new FleetTable(answer).print(out));
            case TLS ->
                    run(
                            arguments,
                            client ->
                                    arguments.has("reload")
                                            ? client.post("/v1/tls/reload", "")
                                            : client.get("/v1/tls"),
                            this::certificates);
            case RUN, CHECK, REHEARSE ->
                    throw new IllegalArgumentException(command + " needs no running proxy");
        };
    }

    private int reload(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var terms = new LinkedHashMap<String, String>();
        put(terms, "confirm", arguments.value("confirm"));
        put(terms, "guard", arguments.value("guard"));
        if (arguments.has("dry-run")) {
            terms.put("dryRun", "true");
        }
        var file = arguments.file();
        if (file == null) {
            return run(
                    arguments,
                    client -> client.post("/v1/config/reload" + query(terms), ""),
                    this::inUse);
        }
        try {
            var text = Files.readString(Cli.path(file));
            return run(
                    arguments,
                    client -> client.post("/v1/config" + query(terms), "application/yaml", text),
                    this::inUse);
        } catch (IOException e) {
            return refuse(file, "cannot be read: " + e.getMessage(), "a readable file of UTF-8");
        }
    }

    private int rollback(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var terms = new LinkedHashMap<String, String>();
        put(terms, "generation", arguments.file());
        return run(
                arguments,
                client -> client.post("/v1/config/rollback" + query(terms), ""),
                this::inUse);
    }

    private int config(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var target = "/v1/config" + (arguments.has("effective") ? "?effective" : "");
        return answered(
                arguments,
                client -> client.get(target),
                reply -> {
                    if (arguments.has("json")) {
                        out.println(JSON.writeValueAsString(Map.of("config", reply.body())));
                    } else {
                        out.print(reply.body());
                    }
                    return OK;
                });
    }

    private int purge(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var members = new LinkedHashMap<String, Object>();
        putAll(members, "urls", arguments.values("url"));
        putAll(members, "tags", arguments.values("tag"));
        putAll(members, "hosts", arguments.values("host"));
        putAll(members, "paths", arguments.values("path"));
        members.put("soft", arguments.has("soft"));
        members.put("dryRun", arguments.has("dry-run"));
        if (arguments.has("no-count")) {
            // An older proxy does not know the member.
            members.put("count", false);
        }
        put(members, "ack", arguments.value("ack"));
        return answered(
                arguments,
                client -> client.post("/v1/purge", JSON.writeValueAsString(members)),
                reply -> {
                    var counts = JSON.readTree(reply.body());
                    // Other nodes of a fleet may have had something.
                    int status =
                            counts.has("count")
                                            || counts.has("applied")
                                            || PURGED_BY.stream()
                                                    .anyMatch(kind ->
                                                            counts.required(kind).longValue() > 0)
                                    ? OK
                                    : DECLINED;
                    print(arguments, reply, this::purged);
                    return status;
                });
    }

    private int ban(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var members = new LinkedHashMap<String, Object>();
        put(members, "host", arguments.value("host"));
        put(members, "path", arguments.value("path"));
        put(members, "tag", arguments.value("tag"));
        put(members, "contentType", arguments.value("content-type"));
        put(members, "olderThan", arguments.value("older-than"));
        var status = arguments.value("status");
        if (status != null) {
            if (!status.matches("[0-9]{3}")) {
                return refuse("--status", "invalid value '" + status + "'", "200 to 999");
            }
            members.put("status", Integer.parseInt(status));
        }
        members.put("dryRun", arguments.has("dry-run"));
        put(members, "ack", arguments.value("ack"));
        return run(
                arguments,
                client -> client.post("/v1/bans", JSON.writeValueAsString(members)),
                this::banned);
    }

    private int unban(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var number = arguments.file();
        if (number == null || !number.matches("[0-9]{1,18}")) {
            return refuse(
                    "quire unban",
                    number == null ? "no ban is named" : "invalid value '" + number + "'",
                    "a number of 'quire bans'");
        }
        var terms = new LinkedHashMap<String, String>();
        put(terms, "ack", arguments.value("ack"));
        return run(
                arguments,
                client -> client.delete("/v1/bans/" + number + query(terms)),
                answer -> out.println("ban " + number + " is withdrawn"));
    }

    private int tiers(Arguments arguments) throws Command.InvalidUsage, InterruptedException {
        var change = arguments.file();
        return run(
                arguments,
                client ->
                        change == null
                                ? client.get("/v1/tiers")
                                : client.post(
                                        "/v1/tiers/disk",
                                        JSON.writeValueAsString(Map.of("state", change))),
                answer -> new TierTable(answer).print(out));
    }

    private static void put(Map<String, ? super String> to, String name, @Nullable String value) {
        if (value != null) {
            to.put(name, value);
        }
    }

    private static void putAll(Map<String, Object> to, String name, List<String> values) {
        if (!values.isEmpty()) {
            to.put(name, values);
        }
    }

    private static String query(Map<String, String> parameters) {
        var query = new StringBuilder();
        parameters.forEach((name, value) ->
                query.append(query.isEmpty() ? '?' : '&')
                        .append(name)
                        .append('=')
                        .append(URLEncoder.encode(value, UTF_8).replace("+", "%20")));
        return query.toString();
    }

    /** Sends {@code request} and prints the JSON of the answer, for people through {@code text}. */
    private int run(Arguments arguments, Request request, Consumer<JsonNode> text)
            throws Command.InvalidUsage, InterruptedException {
        return answered(
                arguments,
                request,
                reply -> {
                    print(arguments, reply, text);
                    return OK;
                });
    }

    private void print(Arguments arguments, Reply reply, Consumer<JsonNode> text) {
        var answer = JSON.readTree(reply.body());
        if (arguments.has("json")) {
            out.println(reply.body());
        } else {
            text.accept(answer);
            if (reply.isComplete()) {
                new FleetProgress(answer).print(out);
            }
        }
    }

    /**
     * @param success prints the answer and returns the exit status
     */
    private int answered(Arguments arguments, Request request, ToIntFunction<Reply> success)
            throws Command.InvalidUsage, InterruptedException {
        AdminAccess access;
        try {
            access =
                    only != null
                            ? only
                            : AdminAccess.of(
                                    Optional.ofNullable(arguments.value("admin")),
                                    Optional.ofNullable(arguments.value("admin-token-file")),
                                    Optional.ofNullable(Cli.path(arguments.value("config"))),
                                    environment);
        } catch (InvalidConfiguration e) {
            return refuse(e);
        }
        try {
            var reply = request.send(new AdminClient(access));
            if (reply.isSuccess()) {
                int status = success.applyAsInt(reply);
                out.flush();
                if (!reply.isComplete() && !arguments.has("json")) {
                    var answer = JSON.readTree(reply.body());
                    if (answer.has("durable")) {
                        err.println(NOT_DURABLE);
                    }
                    new FleetProgress(answer).printMissing(err);
                    err.flush();
                }
                return status;
            }
            failed(arguments, reply.status(), reply.problems());
            return switch (reply.status()) {
                case 400, 401, 403, 413, 415 -> WRONG;
                default -> DECLINED;
            };
        } catch (Unreachable e) {
            return unreachable(arguments, String.valueOf(e.getMessage()));
        } catch (JacksonException e) {
            return unreachable(
                    arguments,
                    "another server answers at "
                            + access.address()
                            + " (expected the admin.address of a proxy)");
        }
    }

    private int unreachable(Arguments arguments, String why) {
        failed(arguments, 0, List.of(why));
        return UNREACHABLE;
    }

    private record Failed(int status, List<String> problems) {}

    private void failed(Arguments arguments, int status, List<String> problems) {
        hasFailed = true;
        if (arguments.has("json")) {
            out.println(JSON.writeValueAsString(new Failed(status, problems)));
            out.flush();
        } else {
            problems.forEach(err::println);
            err.flush();
        }
    }

    private int refuse(InvalidConfiguration invalid) {
        invalid.problems().forEach(err::println);
        err.flush();
        return WRONG;
    }

    private int refuse(String key, String what, String expected) {
        hasFailed = true;
        err.println(new Problem(Optional.empty(), key, what, expected));
        err.flush();
        return WRONG;
    }

    private void inUse(JsonNode answer) {
        long number = answer.required("generation").longValue();
        if (answer.has("dryRun")) {
            out.println("valid; generation " + number + " stays in use");
        } else {
            var within = answer.get("confirmWithin");
            out.println(
                    "generation "
                            + number
                            + " is in use"
                            + (within == null || within.isNull()
                                    ? ""
                                    : "; it is taken back unless 'quire confirm' comes within "
                                            + time(within)));
        }
        answer.required("warnings").forEach(line -> err.println(line.stringValue()));
        err.flush();
    }

    private void generations(JsonNode answer) {
        for (var each : answer.required("generations")) {
            var within = each.required("confirmWithin");
            out.println(
                    "%s%d  %s  %s ago  %d B%s"
                            .formatted(
                                    each.required("current").booleanValue() ? "* " : "  ",
                                    each.required("number").longValue(),
                                    each.required("by").stringValue(),
                                    time(each.required("age")),
                                    each.required("bytes").intValue(),
                                    within.isNull()
                                            ? ""
                                            : "  awaits confirmation for " + time(within)));
        }
    }

    private void purged(JsonNode answer) {
        if (answer.has("count")) {
            out.println(answer.required("soft").booleanValue() ? "made stale" : "purged");
            return;
        }
        var counts = new ArrayList<String>();
        for (var kind : PURGED_BY) {
            counts.add(answer.required(kind).longValue() + " by " + kind);
        }
        out.println(
                (answer.required("dryRun").booleanValue()
                                ? "would match: "
                                : answer.required("soft").booleanValue()
                                        ? "made stale: "
                                        : "purged: ")
                        + String.join(", ", counts));
    }

    private void banned(JsonNode answer) {
        out.println(
                answer.has("dryRun")
                        ? "would hide: " + answer.required("objects").longValue()
                        : "ban " + answer.required("id").longValue());
    }

    private void bans(JsonNode answer) {
        for (var ban : answer.required("bans")) {
            var condition = new ArrayList<String>();
            ban.required("condition")
                    .properties()
                    .forEach(member ->
                            condition.add(member.getKey() + "=" + member.getValue().asString()));
            out.println(
                    "%d  %s  %s ago  hidden %d%s"
                            .formatted(
                                    ban.required("id").longValue(),
                                    String.join(" ", condition),
                                    time(ban.required("age")),
                                    ban.required("hidden").longValue(),
                                    ban.required("completed").booleanValue() ? "  completed" : ""));
        }
    }

    private void certificates(JsonNode answer) {
        for (var each : answer.required("certificates")) {
            var names = new ArrayList<String>();
            each.required("names").forEach(name -> names.add(name.stringValue()));
            double seconds = each.required("expiresIn").doubleValue();
            out.println(
                    "%s  %s  %s  %s"
                            .formatted(
                                    each.required("file").stringValue(),
                                    each.required("kind").stringValue(),
                                    String.join(",", names),
                                    seconds < 0
                                            ? "has expired"
                                            : "expires in " + Math.round(seconds / 86_400) + "d"));
        }
    }

    /** Seconds, as a whole number of them. */
    private static String time(JsonNode seconds) {
        return DurationText.of(Duration.ofSeconds(Math.round(seconds.doubleValue())));
    }
}
