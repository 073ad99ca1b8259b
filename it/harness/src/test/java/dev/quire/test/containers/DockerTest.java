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
                        "expected Docker, because CI is set, but none answers: start it (bin/test"
                                + " does, as root where docker.io is installed), or unset CI to"
                                + " have the tests that need it skipped");
    }
}
