package dev.quire.test.containers;

import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;

/**
 * Whether this machine can run containers. Without Docker their tests are skipped on a developer's
 * machine and fail in CI. Use {@code EnabledIf("dev.quire.test.containers.Docker#isHere")} on a
 * test class with JUnit.
 */
public final class Docker {

    private Docker() {}

    /**
     * Whether a Docker daemon answers. Thread-safe; the first call may take seconds.
     *
     * @throws IllegalStateException if it does not and the environment variable {@code CI} is set,
     *     where a test must not be skipped
     */
    public static boolean isHere() {
        return isHere(DockerClientFactory.instance().isDockerAvailable(), System.getenv("CI"));
    }

    static boolean isHere(boolean answers, @Nullable String ci) {
        if (!answers && ci != null && !ci.isEmpty()) {
            throw new IllegalStateException(
                    "expected a Docker daemon, because CI is set, found none that responds (start it: bin/test does, as root where docker.io is installed; or unset CI, which skips the tests that need it)");
        }
        return answers;
    }
}
