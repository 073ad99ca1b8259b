package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.Acknowledged.Replicas;
import dev.quire.proxy.fleet.LogServer.Copies;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplicationTest {
    private final List<CompletableFuture<Copies>> questions = new ArrayList<>();
    private final Replication replication = new Replication(this::ask, 1);

    private CompletionStage<Copies> ask() {
        var question = new CompletableFuture<Copies>();
        questions.add(question);
        return question;
    }

    private CompletableFuture<Acknowledged> of(long epoch, long number) {
        var reached =
                new Acknowledged(
                        Ack.LOG, new RecordPosition(epoch, number), Set.of("one"), Set.of());
        return replication.with(reached).toCompletableFuture();
    }

    private static Optional<Replicas> found(CompletableFuture<Acknowledged> answer)
            throws Exception {
        return answer.get(10, TimeUnit.SECONDS).replicas();
    }

    private static Copies copies(long epoch, long number, int replicas) {
        return new Copies(new RecordPosition(epoch, number), replicas);
    }

    @ParameterizedTest
    @CsvSource({"7, 5, 1", "7, 6, 1", "7, 4, 0", "8, 6, 0", "6, 6, 0"})
    void replicasCountIfTheServerHasTheEntry(long epoch, long end, int found) throws Exception {
        var answer = of(7, 5);
        questions.getFirst().complete(copies(epoch, end, 1));

        assertThat(found(answer)).contains(new Replicas(1, found));
        assertThat(answer.get().isComplete()).isEqualTo(found == 1);
    }

    /** The question that is under way may not see them. */
    @Test
    void entriesOfTheSameTimeShareTheNextQuestion() throws Exception {
        var first = of(7, 1);
        var second = of(7, 2);
        var third = of(7, 3);
        assertThat(questions).hasSize(1);

        questions.getFirst().complete(copies(7, 3, 1));
        assertThat(found(first)).contains(new Replicas(1, 1));
        assertThat(questions).hasSize(2);
        questions.get(1).complete(copies(7, 3, 0));

        assertThat(found(second)).contains(new Replicas(1, 0));
        assertThat(found(third)).contains(new Replicas(1, 0));
        of(7, 4);
        assertThat(questions).hasSize(3);
    }

    @Test
    void storeThatFailsOrDoesNotAnswerHasNoReplicas() throws Exception {
        var failed = of(7, 1);
        questions.getFirst().completeExceptionally(new IllegalStateException("away"));
        assertThat(found(failed)).contains(new Replicas(1, 0));

        var hanging = of(7, 2);
        var next = of(7, 3);
        assertThat(found(hanging)).contains(new Replicas(1, 0));
        assertThat(found(next)).contains(new Replicas(1, 0));

        var broken =
                new Replication(
                        () -> {
                            throw new IllegalStateException("closed");
                        },
                        1);
        var reached = new Acknowledged(Ack.LOG, new RecordPosition(7, 1), Set.of("one"), Set.of());
        assertThat(found(broken.with(reached).toCompletableFuture())).contains(new Replicas(1, 0));
    }
}
