package dev.quire.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {

    @Test
    void numberOfClientsIsTheCallersButForLatePages() {
        assertThat(clients("page", 8, 100)).containsExactly(8, 100);
        assertThat(clients("close-5k", 8, 100)).containsExactly(8, 100);
        assertThat(clients("late", 8, 100)).containsExactly(4);
    }

    @Test
    void withoutAWordOfTheCallerEachHasItsUsualNumber() {
        assertThat(clients("page")).containsExactly(64);
        assertThat(clients("close-5k")).containsExactly(150);
        assertThat(clients("late")).containsExactly(4);
    }

    private static List<Integer> clients(String name, Integer... asked) {
        return Workload.ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow()
                .clients()
                .of(List.of(asked));
    }
}
