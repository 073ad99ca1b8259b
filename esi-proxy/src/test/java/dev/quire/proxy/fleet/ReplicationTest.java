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

class ReplicationTest {
    private final List<CompletableFuture<Copies>> questions = new ArrayList<>();
    private final List<Set<RecordPosition>> entries = new ArrayList<>();
    private final Replication replication = new Replication(this::ask, 1);

    private CompletionStage<Copies> ask(Set<RecordPosition> asked) {
        var question = new CompletableFuture<Copies>();
        questions.add(question);
        entries.add(Set.copyOf(asked));
        return question;
    }

    private static Acknowledged logged(RecordPosition position) {
        return new Acknowledged(Ack.LOG, position, Set.of("one"), Set.of());
    }

    private CompletableFuture<Acknowledged> of(long number) {
        return replication.with(logged(entry(number))).toCompletableFuture();
    }

    private static Optional<Replicas> found(CompletableFuture<Acknowledged> answer)
            throws Exception {
        return answer.get(10, TimeUnit.SECONDS).replicas();
    }

    private static RecordPosition entry(long number) {
        return new RecordPosition(7, number);
    }

    @Test
    void replicasCountForEntriesThatTheServerHas() throws Exception {
        var answer = of(5);
        questions.getFirst().complete(new Copies(Set.of(entry(5)), 1));
        var lost = of(6);
        questions.getLast().complete(new Copies(Set.of(), 1));

        assertThat(found(answer)).contains(new Replicas(1, 1));
        assertThat(answer.get().isComplete()).isTrue();
        assertThat(found(lost)).contains(new Replicas(1, 0));
        assertThat(lost.get().isComplete()).isFalse();
        assertThat(lost.get().reached()).isEqualTo(Ack.LOG);
    }

    @Test
    void entryThatIsNotInTheLogHasNoReplicas() throws Exception {
        var here = new Acknowledged(Ack.LOG, null, Set.of("one"), Set.of());

        assertThat(replication.with(here).toCompletableFuture().get()).isSameAs(here);
        assertThat(questions).isEmpty();
    }

    /** The question that is under way may not see them. */
    @Test
    void entriesOfTheSameTimeShareTheNextQuestion() throws Exception {
        var first = of(1);
        var second = of(2);
        var third = of(3);
        assertThat(entries).containsExactly(Set.of(entry(1)));

        questions.getFirst().complete(new Copies(Set.of(entry(1)), 1));
        assertThat(found(first)).contains(new Replicas(1, 1));
        assertThat(entries).containsExactly(Set.of(entry(1)), Set.of(entry(2), entry(3)));
        questions.get(1).complete(new Copies(Set.of(entry(3)), 1));

        assertThat(found(second)).contains(new Replicas(1, 0));
        assertThat(found(third)).contains(new Replicas(1, 1));
        of(4);
        assertThat(questions).hasSize(3);
    }

    @Test
    void storeThatFailsOrDoesNotAnswerHasNoReplicas() throws Exception {
        var failed = of(1);
        questions.getFirst().completeExceptionally(new IllegalStateException("away"));
        assertThat(found(failed)).contains(new Replicas(1, 0));

        var hanging = of(2);
        var next = of(3);
        assertThat(found(hanging)).contains(new Replicas(1, 0));
        assertThat(found(next)).contains(new Replicas(1, 0));
        assertThat(questions).hasSize(3);

        var broken =
                new Replication(
                        asked -> {
                            throw new IllegalStateException("closed");
                        },
                        1);
        assertThat(found(broken.with(logged(entry(1))).toCompletableFuture()))
                .contains(new Replicas(1, 0));
    }
}
