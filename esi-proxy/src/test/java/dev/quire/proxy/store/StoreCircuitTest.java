package dev.quire.proxy.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The circuit breaker of the store opens soon, but not for a moment's delay. */
class StoreCircuitTest {
    private static final long MILLI = 1_000_000L;

    private final StoreCircuit circuit = new StoreCircuit(0);

    private void calls(int count, boolean haveFailed, long atMillis) {
        for (int i = 0; i < count; i++) {
            circuit.ended(haveFailed, atMillis * MILLI);
        }
    }

    @Test
    void opensIfHalfOfTheCallsFail() {
        calls(10, false, 0);
        calls(9, true, 1);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.CLOSED);
        calls(1, true, 1);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.OPEN);
    }

    @Test
    void opensAfterSteadyFailuresWhateverWasBefore() {
        calls(10_000, false, 0);
        calls(9, true, 100);
        calls(1, true, 200);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.OPEN);
    }

    @Test
    void callsThatFailTogetherDoNotOpenIt() {
        calls(10_000, false, 0);
        calls(100, true, 100);
        calls(1, false, 101);
        calls(9, true, 300);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.CLOSED);
    }

    @Test
    void callsOfLongAgoDoNotCount() {
        calls(19, true, 0);
        calls(1, false, 1);
        calls(5, true, 20_000);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.CLOSED);
    }

    @Test
    void oneCallTriesAndClosesIt() {
        calls(20, true, 0);
        assertThat(circuit.tryOne()).isTrue();
        assertThat(circuit.tryOne()).isFalse();
        circuit.tried(true);
        assertThat(circuit.tryOne()).isTrue();
        circuit.tried(false);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.CLOSED);
        calls(9, true, 1_000);
        assertThat(circuit.state()).isEqualTo(StoreCircuit.State.CLOSED);
    }
}
