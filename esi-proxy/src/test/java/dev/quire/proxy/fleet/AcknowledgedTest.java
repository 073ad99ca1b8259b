package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.proxy.cache.RecordPosition;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AcknowledgedTest {

    /** The former process is counted until its lease has ended. */
    @Test
    void nodeThatHasBegunAgainIsCountedOnce() {
        var acknowledged =
                new Acknowledged(
                        Ack.FLEET,
                        new RecordPosition(1, LogId.of("5-0")),
                        Set.of("web1", "web2", "web3"),
                        Set.of("web1"));

        assertThat(acknowledged.members())
                .containsEntry("nodes", 3)
                .containsEntry("acked", 2)
                .containsEntry("missing", Set.of("web1"));
        assertThat(acknowledged.isComplete()).isFalse();
    }
}
