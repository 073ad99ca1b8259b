package dev.quire.bench.fleet;

import dev.quire.bench.fleet.Event.Ack;
import dev.quire.bench.fleet.Event.Effect;
import dev.quire.bench.fleet.Event.Lift;
import dev.quire.bench.fleet.Event.Purge;
import dev.quire.bench.kill.Client;
import dev.quire.bench.kill.StampedBody;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** One invalidation at a node, with what its answer promises. Not thread-safe. */
final class Invalidating {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int ABSENT = 404;

    /** The count of answers 202 that outlive a kill of the node. */
    static final String DURABLE = "purge durable 202";

    /** A response to an unsafe request that came sooner has waited until it is durable. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final Run run;
    private final int node;
    private final boolean takesAck;
    private String banned = "";
    private long ban;
    private int bannedIn;

    /**
     * @param takesAck whether the node is told what its answer shall wait for
     */
    Invalidating(Run run, int node, boolean takesAck) {
        this.run = run;
        this.node = node;
        this.takesAck = takesAck;
    }

    /** Purges or bans {@code name}; returns null if that failed. */
    @Nullable Purge purge(Way way, String name, Ack ack) {
        var json =
                "{%s%s}"
                        .formatted(
                                way.json(name),
                                takesAck ? ",\"ack\":\"%s\"".formatted(ack.word()) : "");
        int life = run.life(node);
        long invoked = System.nanoTime();
        try {
            var answer = run.fleet().node(node).admin(way.endpoint(), json);
            long answered = System.nanoTime();
            run.count("purge " + ack.word() + " " + answer.status());
            if (answer.status() != OK && answer.status() != ACCEPTED) {
                run.fault(
                        "%s at %s: %d %s"
                                .formatted(way, Fleet.name(node), answer.status(), answer.text()));
                return null;
            }
            run.count(way.count());
            if (way == Way.LIFTED_BAN) {
                banned = name;
                bannedIn = life;
                ban = JSON.readTree(answer.text()).path("id").asLong();
            }
            var purge = purge(way, name, ack, answer, invoked, answered);
            run.history().add(purge);
            return purge;
        } catch (IOException e) {
            if (run.isRunningSince(node, life)) {
                run.fault("%s at %s: %s".formatted(way, Fleet.name(node), e));
            }
            if (way.effect() == Effect.SOFT && !(e instanceof ConnectException)) {
                run.history()
                        .add(
                                new Purge(
                                        node,
                                        Effect.PERHAPS_SOFT,
                                        List.of(name),
                                        Ack.LOCAL,
                                        false,
                                        Set.of(),
                                        invoked,
                                        System.nanoTime()));
            }
            return null;
        }
    }

    /**
     * A 202 that names no nodes does not say that any other node has obeyed. With a journal it
     * outlives a kill all the same, unless it says otherwise.
     */
    private Purge purge(
            Way way, String name, Ack ack, Client.Answer answer, long invoked, long answered) {
        boolean isWhole = answer.status() == OK;
        boolean isDurable =
                run.isJournalled()
                        ? JSON.readTree(answer.text()).path("durable").booleanValue(true)
                        : isWhole && ack != Ack.LOCAL;
        if (isDurable && !isWhole) {
            run.count(DURABLE);
        }
        var missing = missing(answer.text());
        return new Purge(
                node,
                way.effect(),
                List.of(name),
                isWhole || !missing.isEmpty() ? ack : Ack.LOCAL,
                isDurable,
                missing,
                invoked,
                answered);
    }

    private Set<Integer> missing(String json) {
        var missing = new HashSet<Integer>();
        JSON.readTree(json)
                .path("missing")
                .forEach(name -> {
                    for (int each = 0; each < run.fleet().size(); each++) {
                        if (name.stringValue("").matches(Fleet.name(each) + "(#.*)?")) {
                            missing.add(each);
                        }
                    }
                });
        return missing;
    }

    /** Lifts the ban that was made, unless it is completed. */
    void lift(Ack ack) {
        // The numbers of bans are those of a process.
        int life = bannedIn;
        if (ban == 0 || !run.isRunningSince(node, life)) {
            return;
        }
        long invoked = System.nanoTime();
        var target = "/v1/bans/" + ban + (takesAck ? "?ack=" + ack.word() : "");
        try (var client = new Client(run.fleet().node(node).adminPort())) {
            client.send("DELETE " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            int status = client.receive().status();
            run.count("lift " + status);
            if (status == ABSENT) {
                return;
            }
            if (status != OK && status != ACCEPTED) {
                run.fault("DELETE %s at %s: %d".formatted(target, Fleet.name(node), status));
            }
        } catch (IOException e) {
            if (run.isRunningSince(node, life)) {
                run.fault("DELETE %s at %s: %s".formatted(target, Fleet.name(node), e));
            }
            if (e instanceof ConnectException) {
                return;
            }
        }
        // Also if it was not answered: it may be lifted.
        run.history().add(new Lift(banned, invoked, System.nanoTime()));
    }

    /** Posts to {@code url}, which makes a new version; returns null if that failed. */
    @Nullable Purge post(String url) {
        int life = run.life(node);
        long sent = System.nanoTime();
        try (var client = new Client(run.fleet().node(node).port())) {
            var answer = client.post(FleetSite.host(url), FleetSite.path(url), "{}");
            long answered = System.nanoTime();
            run.count(Way.POST.count());
            long version = StampedBody.version(url, answer.body()).orElse(0);
            if (answer.status() != OK || version == 0) {
                run.fault("POST of %s at %s: %d".formatted(url, Fleet.name(node), answer.status()));
                return null;
            }
            boolean isDurable = run.isJournalled() && answered - sent < LONGEST_WAIT.toNanos();
            var purge =
                    new Purge(
                            node,
                            Way.POST.effect(),
                            List.of(url),
                            Ack.LOCAL,
                            isDurable,
                            Set.of(),
                            run.made(url, version),
                            answered);
            run.history().add(purge);
            return purge;
        } catch (IOException e) {
            if (run.isRunningSince(node, life)) {
                run.fault("POST of %s at %s: %s".formatted(url, Fleet.name(node), e));
            }
            return null;
        }
    }
}
