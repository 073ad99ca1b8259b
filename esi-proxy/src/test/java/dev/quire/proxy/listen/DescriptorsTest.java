package dev.quire.proxy.listen;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The share of clients in the file descriptors. */
class DescriptorsTest {

    @ParameterizedTest
    @CsvSource({
        "1048576, 320, 10000",
        "9223372036854775807, 320, 10000",
        "10384, 320, 10000",
        "10383, 320, 9999",
        "512, 320, 128",
        "256, 320, 16",
        "512, 1000000000000, 16",
    })
    void clientsGetWhatTheOthersLeave(long limit, long reserved, int clients) {
        assertThat(Descriptors.forClients(limit, reserved)).isEqualTo(clients);
    }

    @ParameterizedTest
    @CsvSource({
        "1048576, 320, 1024, 1024",
        "1024, 320, 1024, 160",
        "256, 320, 1024, 0",
        "9223372036854775807, 320, 0, 0"
    })
    void tunnelsGetAtMostAQuarterOfThat(long limit, long reserved, int wanted, int tunnels) {
        assertThat(Descriptors.forTunnels(limit, reserved, wanted)).isEqualTo(tunnels);
    }

    @Test
    void theLimitOfTheProcessIsKnown() {
        assertThat(Descriptors.limit()).isPositive();
    }
}
