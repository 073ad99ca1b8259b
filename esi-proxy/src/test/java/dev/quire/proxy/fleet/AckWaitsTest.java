package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogServer.Extent;
import dev.quire.proxy.fleet.LogServer.Member;
import dev.quire.proxy.fleet.LogServer.Members;
import dev.quire.proxy.fleet.LogServer.Overview;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AckWaitsTest {
    private static final long EPOCH = 7;
    private static final long NOW = 100_000;

    private final AckWaits waits = new AckWaits("one#1", Duration.ofSeconds(4));
    private final AckWaits.Wait wait = new AckWaits.Wait(1, true);

    private static Member member(long applied) {
        return Member.of(EPOCH, applied, NOW, "");
    }

    private static Overview overview(long last, Map<String, Member> members) {
        return new Overview(new Extent(1, last, 1, 1), new Members(NOW, members));
    }

    private void append(long id) {
        waits.add(wait);
        waits.logged(1, new RecordPosition(EPOCH, id));
        waits.told("one#1", new RecordPosition(EPOCH, id));
    }

    /**
     * The entry 20 may have the place of one that the log has lost, and the other node has read.
     */
    @ParameterizedTest
    @CsvSource({"20, 20, true", "19, 20, false", "25, 20, false", "25, 25, true"})
    void nodeThatHasReadMoreThanTheLogHasDoesNotCount(long applied, long last, boolean counts) {
        append(20);

        waits.known(wait, overview(last, Map.of("one#1", member(20), "two#2", member(applied))));

        assertThat(wait.done.isDone()).isEqualTo(counts);
    }

    @Test
    void answersOfAnotherEpochDoNotCount() {
        append(20);
        waits.known(wait, overview(20, Map.of("one#1", member(20), "two#2", member(10))));

        waits.told("two#2", new RecordPosition(EPOCH + 1, 30));
        assertThat(wait.done.isDone()).isFalse();

        waits.told("two#2", new RecordPosition(EPOCH, 20));
        assertThat(wait.done.isDone()).isTrue();
    }
}
