package dev.quire.proxy.cli;

import dev.quire.proxy.config.AdminAccess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * One command for several proxies, which are all asked at the same time. Each line of an answer
 * begins with the address of its proxy; each JSON object has it as {@code admin}.
 */
final class SeveralProxies {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final boolean isJson;
    private final PrintWriter out;
    private final PrintWriter err;

    SeveralProxies(boolean isJson, PrintWriter out, PrintWriter err) {
        this.isJson = isJson;
        this.out = out;
        this.err = err;
    }

    /** The command for one of them. */
    interface One {
        Outcome send(AdminAccess access, PrintWriter out, PrintWriter err)
                throws Command.InvalidUsage, InterruptedException;
    }

    /**
     * The result at one proxy.
     *
     * @param status the exit status
     * @param hasFailed whether it is not done there
     */
    record Outcome(int status, boolean hasFailed) {}

    /** An outcome with what was printed. */
    private record Answer(AdminAccess access, Outcome outcome, String printed, String errors) {}

    /**
     * Returns the largest exit status of those that have failed; if none has, the smallest of all.
     */
    int execute(List<AdminAccess> proxies, One command)
            throws Command.InvalidUsage, InterruptedException {
        var answers = new ArrayList<Answer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = new ArrayList<Future<Answer>>();
            for (var access : proxies) {
                asked.add(threads.submit(() -> ask(access, command)));
            }
            for (var each : asked) {
                answers.add(each.get());
            }
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Command.InvalidUsage invalid -> throw invalid;
                case RuntimeException fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        }
        answers.forEach(this::print);
        out.flush();
        err.flush();
        return answers.stream()
                .map(Answer::outcome)
                .filter(Outcome::hasFailed)
                .mapToInt(Outcome::status)
                .max()
                .orElseGet(() ->
                        answers.stream().mapToInt(each -> each.outcome().status()).min().orElse(0));
    }

    private static Answer ask(AdminAccess access, One command)
            throws Command.InvalidUsage, InterruptedException {
        var printed = new StringWriter();
        var errors = new StringWriter();
        var outcome = command.send(access, new PrintWriter(printed), new PrintWriter(errors));
        return new Answer(access, outcome, printed.toString(), errors.toString());
    }

    private void print(Answer answer) {
        var address = answer.access().address().toString();
        answer.printed()
                .lines()
                .forEach(
                        line -> out.println(isJson ? named(address, line) : address + ": " + line));
        answer.errors().lines().forEach(line -> err.println(address + ": " + line));
    }

    private static String named(String address, String object) {
        var named = JSON.createObjectNode().put("admin", address);
        named.setAll((ObjectNode) JSON.readTree(object));
        return JSON.writeValueAsString(named);
    }
}
