package dev.quire.it;

import static dev.quire.it.Answers.fragment;
import static dev.quire.it.Answers.include;
import static dev.quire.it.Answers.page;
import static dev.quire.it.Answers.privately;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Capability;
import dev.quire.test.containers.QuireContainer;
import dev.quire.test.containers.internal.HostRelay;
import dev.quire.test.wire.HttpWire;
import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Response;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** The proxy's image as operators run it, in front of a server on this machine. */
@EnabledIf(
        value = "dev.quire.test.containers.Docker#isHere",
        disabledReason = "Docker does not answer")
class QuireContainerIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Origin origin = Origin.start();
    private final QuireContainer quire = new QuireContainer().inFrontOf(origin.url());

    @AfterEach
    void stop() {
        quire.stop();
        origin.close();
    }

    private static HttpWire connect(URI url) {
        return HttpWire.to(new InetSocketAddress(url.getHost(), url.getPort()));
    }

    private Response operator(String method, String target, String json, String... fields) {
        try (var wire = connect(quire.admin())) {
            return wire.request(method, target, json.getBytes(UTF_8), fields).response();
        }
    }

    private InspectContainerResponse inspect() {
        return quire.getDockerClient().inspectContainerCmd(quire.getContainerId()).exec();
    }

    private static void await(BooleanSupplier reached, String what) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("expected " + what).isNegative();
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    @Test
    void aPageIsAssembledAndStoredAndPurged() {
        origin.on("/page", page("<" + include("/part") + ">"));
        origin.on("/part", fragment("one").field("Surrogate-Key", "election"));
        quire.start();
        try (var client = connect(quire.url())) {
            assertThat(client.get("/page").text()).isEqualTo("<one>");
            var stored = client.get("/page");
            assertThat(stored.text()).isEqualTo("<one>");
            assertThat(stored.field("Cache-Status")).startsWith("quire; hit");
            assertThat(origin.paths()).containsExactly("/page", "/part");

            var purge =
                    operator(
                            "POST",
                            "/v1/purge",
                            "{\"tags\":[\"election\"]}",
                            "Content-Type",
                            "application/json",
                            "Authorization",
                            "Bearer " + quire.token());

            assertThat(purge.text()).contains("\"tags\":1");
            assertThat(client.get("/page").text()).isEqualTo("<one>");
            assertThat(origin.paths()).containsExactly("/page", "/part", "/part");
        }
    }

    @Test
    void whoHasNoTokenIsNoOperator() throws Exception {
        quire.start();

        assertThat(operator("GET", "/v1/stats", "").status()).isEqualTo(401);
        assertThat(operator("GET", "/v1/stats", "", "Authorization", "Bearer " + quire.token()))
                .extracting(Response::status)
                .isEqualTo(200);
        assertThat(quire.execInContainer("quire", "health").getExitCode()).isZero();
        var unknown =
                quire.execInContainer(
                        "bash", "-c", "QUIRE_ADMIN_TOKEN_FILE=/dev/null quire health");
        assertThat(unknown.getExitCode()).isEqualTo(1);
        assertThat(unknown.getStdout())
                .startsWith("/readyz: 401 (expected the token of admin.token-file");
    }

    @Test
    void itNeedsNoRootNoCapabilityAndNothingToWriteTo() throws Exception {
        origin.on("/", fragment("hello"));
        try (var relay = HostRelay.open().to(origin.address());
                var hardened =
                        HostRelay.letIn(new Hardened())
                                .withCommand(
                                        "--to", "http://" + HostRelay.HOST + ":" + relay.port())) {
            hardened.start();

            var url = "http://" + hardened.getHost() + ":" + hardened.getMappedPort(8080);
            try (var client = connect(URI.create(url))) {
                assertThat(client.get("/").text()).isEqualTo("hello");
            }
            var state =
                    hardened.getDockerClient()
                            .inspectContainerCmd(hardened.getContainerId())
                            .exec();
            assertThat(state.getConfig().getUser()).isEqualTo("65532:65532");
            assertThat(state.getHostConfig().getReadonlyRootfs()).isTrue();
            assertThat(hardened.execInContainer("bash", "-c", "echo $UID").getStdout())
                    .isEqualTo("65532\n");
            assertThat(hardened.execInContainer("bash", "-c", ": >/tmp/x").getExitCode())
                    .as("a file can be written")
                    .isNotZero();
            assertThat(hardened.execInContainer("quire", "health").getStdout())
                    .isEqualTo("/readyz: 200\n");
            assertThat(
                            hardened.execInContainer("bash", "-c", "echo \"$(</proc/1/maps)\"")
                                    .getStdout())
                    .contains("/opt/quire/native/libnetty_transport_native_epoll_")
                    .contains("/opt/quire/quire-proxy.jsa");
        }
    }

    /** The image alone, as started by {@code docker run --read-only --cap-drop ALL}. */
    private static final class Hardened extends GenericContainer<Hardened> {
        Hardened() {
            super(QuireContainer.image());
            withImagePullPolicy(name -> false);
            withExposedPorts(8080);
            waitingFor(Wait.forLogMessage("ready http=0\\.0\\.0\\.0:8080 .*", 1));
            withCreateContainerCmdModifier(create ->
                    Objects.requireNonNull(create.getHostConfig())
                            .withReadonlyRootfs(true)
                            .withCapDrop(Capability.ALL)
                            .withSecurityOpts(List.of("no-new-privileges")));
        }
    }

    @Test
    void dockerKnowsThatItIsHealthyAndWhatItIs() {
        quire.start();

        await(
                () -> "healthy".equals(inspect().getState().getHealth().getStatus()),
                "a healthy container");

        assertThat(inspect().getConfig().getLabels())
                .containsEntry("org.opencontainers.image.title", "Quire")
                .containsEntry("org.opencontainers.image.licenses", "Apache-2.0")
                .containsKeys(
                        "org.opencontainers.image.version", "org.opencontainers.image.revision");
    }

    @Test
    void aContainerThatIsToStopFinishesWhatIsUnderWay() throws Exception {
        origin.on("/slow", privately("all of it"));
        quire.start();
        var held = origin.hold("/slow");
        try (var client = connect(quire.url())) {
            var answer = CompletableFuture.supplyAsync(() -> client.get("/slow"));
            origin.awaitRequest("/slow");

            quire.getDockerClient()
                    .killContainerCmd(quire.getContainerId())
                    .withSignal("TERM")
                    .exec();
            var bearer = "Bearer " + quire.token();
            await(
                    () ->
                            Operator.isClosed(
                                    () -> operator("GET", "/readyz", "", "Authorization", bearer)),
                    "a closed admin port");
            held.release();

            var finished = answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(finished.text()).isEqualTo("all of it");
            assertThat(finished.field("Connection")).isEqualTo("close");
        }
        await(() -> Boolean.FALSE.equals(inspect().getState().getRunning()), "it to end");
        assertThat(inspect().getState().getExitCodeLong()).isZero();
    }

    @Test
    void theServerBehindItMayStartLaterAndBeAnother() {
        var late = new QuireContainer();
        try (var one = Origin.start().on("/", privately("one"));
                var other = Origin.start().on("/", privately("other"))) {
            late.start();

            late.inFrontOf(one.address().getPort());
            assertThat(get(late)).isEqualTo("one");

            late.inFrontOf(other.url());
            assertThat(get(late)).isEqualTo("other");

            assertThatIllegalStateException()
                    .isThrownBy(() -> late.inFrontOf(URI.create("http://shop:8080")))
                    .withMessage(
                            "the proxy already runs in front of this machine: set"
                                    + " http://shop:8080 before start()");
        } finally {
            late.stop();
        }
    }

    private static String get(QuireContainer quire) {
        try (var client = connect(quire.url())) {
            return client.get("/").text();
        }
    }

    @Test
    void aConfigurationItDoesNotTakeIsShownWithWhatTheProxySays() {
        quire.with("cache", "{ grase: 1s }");

        assertThatIllegalStateException()
                .isThrownBy(quire::start)
                .withMessageStartingWith("the proxy did not start with this configuration:\n")
                .withMessageContaining("cache: { grase: 1s }\n")
                .withMessageContaining("Its log:\n/etc/quire/quire.yml:1:10: cache.grase: is an")
                .withMessageContaining("unknown key (expected 'grace', the nearest match)");
    }

    @Test
    void anImageThatIsNotThereIsNamedWithTheCommandThatBuildsIt() {
        var missing =
                new QuireContainer(DockerImageName.parse("quire:no-such-tag"))
                        .withImagePullPolicy(name -> false)
                        .inFrontOf(origin.url());

        assertThatIllegalStateException()
                .isThrownBy(missing::start)
                .withMessage(
                        "there is no image quire:no-such-tag on this machine: build it with"
                                + " bin/image of Quire, or name another in the constructor, the"
                                + " system property quire.test.image or the environment variable"
                                + " QUIRE_TEST_IMAGE");
    }

    @Test
    void whatIsNoServerIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> quire.inFrontOf(URI.create("https://shop")))
                .withMessage("expected http://HOST[:PORT], found https://shop");
    }
}
