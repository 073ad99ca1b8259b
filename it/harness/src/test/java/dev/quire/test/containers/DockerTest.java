package dev.quire.test.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class DockerTest {

    @Test
    void withoutDockerTestsAreSkippedUnlessTheBuildIsTheLastGate() {
        assertThat(Docker.isHere(false, null)).isFalse();
        assertThat(Docker.isHere(false, "")).isFalse();
        assertThat(Docker.isHere(true, null)).isTrue();
        assertThat(Docker.isHere(true, "true")).isTrue();

        assertThatIllegalStateException()
                .isThrownBy(() -> Docker.isHere(false, "true"))
                .withMessage(
                        "expected a Docker daemon, because CI is set, found none that responds"
                                + " (start it: bin/test does, as root where docker.io is"
                                + " installed; or unset CI, which skips the tests that need it)");
    }
}
