package dev.quire.proxy.cli;

import dev.quire.proxy.cli.AdminClient.Unreachable;
import dev.quire.proxy.config.AdminAccess;
import dev.quire.proxy.config.InvalidConfiguration;
import dev.quire.proxy.config.Options;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.handover.HandoverFailed;
import dev.quire.proxy.handover.Takeover;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** The running proxy that {@code quire run --replace} replaces. */
final class Predecessor {
    private static final Logger LOG = LoggerFactory.getLogger(Predecessor.class);

    private static final String OPTION = "--replace";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final UnaryOperator<@Nullable String> environment;

    /** Thrown if the running proxy does not hand over at present. */
    static final class Declined extends Exception {
        Declined(String why) {
            super(why);
        }
    }

    /**
     * @param environment returns the value of a variable, or null if it is not set
     */
    Predecessor(UnaryOperator<@Nullable String> environment) {
        this.environment = environment;
    }

    /**
     * Receives the listening sockets of the running proxy, which {@code options} find as for other
     * commands. Returns null if nothing answers, as before a first start.
     *
     * @throws CannotStart if they cannot be passed
     */
    @Nullable Takeover takeover(Options options)
            throws InvalidConfiguration, CannotStart, Declined, InterruptedException {
        var obstacle = Takeover.obstacle();
        if (obstacle.isPresent()) {
            throw cannotStart(obstacle.get(), "Linux with epoll, or a start without " + OPTION);
        }
        var access =
                AdminAccess.of(options.admin(), options.adminToken(), options.file(), environment);
        try {
            var reply = new AdminClient(access).post("/v1/handover", "");
            return switch (reply.status()) {
                case 200 -> Takeover.from(socket(reply), PATIENCE);
                case 409 -> throw new Declined(String.join("\n", reply.problems()));
                default ->
                        throw cannotStart(
                                access.address()
                                        + " answers "
                                        + reply.status()
                                        + ": "
                                        + String.join(" ", reply.problems()),
                                "the admin port of a running proxy of this version, and its token");
            };
        } catch (Unreachable e) {
            LOG.atWarn()
                    .addKeyValue("event", "nothing-replaced")
                    .log("{}; this process starts without a takeover", e.getMessage());
            return null;
        } catch (HandoverFailed e) {
            throw cannotStart(e.what(), e.expected());
        }
    }

    private static Path socket(AdminClient.Reply reply) throws CannotStart {
        try {
            return Path.of(JsonMapper.shared().readTree(reply.body()).path("socket").stringValue());
        } catch (JacksonException | InvalidPathException e) {
            throw cannotStart("the running proxy names no socket", "one of this version");
        }
    }

    private static CannotStart cannotStart(String what, String expected) {
        return new CannotStart(List.of(new Problem(Optional.empty(), OPTION, what, expected)));
    }
}
