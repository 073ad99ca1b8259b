package dev.quire.bench.kill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DiskStateTest {

    @Test
    void tierThatIsPausedDoesNotWrite() {
        var on = "{'disk':{'state':'on','paused':false,'lastError':null,'writes':{'stored':7}}}";
        var paused = "{'disk':{'state':'on','paused':true,'lastError':'No space left on device'}}";

        assertThat(state(on).isWriting()).isTrue();
        assertThat(state(on).stored()).isEqualTo(7);
        assertThat(state(on).failure()).isEmpty();
        assertThat(state(paused).isWriting()).isFalse();
        assertThat(state(paused)).hasToString("paused");
        assertThat(state(paused).failure()).isEqualTo("No space left on device");
    }

    @Test
    void reasonOfAFailureComesBeforeTheLastError() {
        var failed = "{'disk':{'state':'failed','paused':false,'reason':'no','lastError':'other'}}";

        assertThat(state(failed).isWriting()).isFalse();
        assertThat(state(failed)).hasToString("failed");
        assertThat(state(failed).failure()).isEqualTo("no");
    }

    @Test
    void proxyWithoutADiskTierDoesNotWrite() {
        assertThat(state("{'memory':{'state':'on'}}").isWriting()).isFalse();
    }

    private static DiskState state(String json) {
        return DiskState.of(json.replace('\'', '"'));
    }
}
