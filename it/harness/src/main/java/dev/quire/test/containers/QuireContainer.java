package dev.quire.test.containers;

import com.github.dockerjava.api.exception.NotFoundException;
import dev.quire.test.containers.internal.HostRelay;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A container of the proxy's image, in front of one server: of this machine, or of the container's
 * network. As a {@code ServiceConnection} it receives the invalidations of the application under
 * test, which is also its origin by default.
 *
 * <p>It has the product's default configuration, but stores at most 64 MiB, writes no access log,
 * and sends {@code Cache-Status} to every client. Configured by one thread.
 */
public final class QuireContainer extends GenericContainer<QuireContainer> {

    /** The image name used by {@code bin/image}. It is never pulled. */
    public static final String IMAGE = "quire:latest";

    private static final int HTTP = 8080;
    private static final int ADMIN = 9901;
    private static final String CONFIGURATION = "/etc/quire/quire.yml";
    private static final String TOKEN = "/etc/quire/admin-token";
    private static final int READABLE = 0444;
    private static final int TOKEN_BYTES = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(50);

    private final Map<String, String> sections = new LinkedHashMap<>();
    private final String token;
    private final String image;
    private @Nullable URI origin;
    private boolean isChosen;
    private @Nullable HostRelay relay;

    /** The origin's URL inside the container, once it is known. */
    private @Nullable URI tested;

    /** The {@link #image}. */
    public QuireContainer() {
        this(image());
    }

    public QuireContainer(DockerImageName name) {
        super(name);
        image = name.asCanonicalNameString();
        if (image.equals(IMAGE)) {
            withImagePullPolicy(any -> false);
        }
        var secret = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(secret);
        token = HexFormat.of().formatHex(secret);
        sections.put("cache", "{ memory: 64MiB }");
        sections.put("log", "{ access: off }");
        sections.put("trusted", "[ \"0.0.0.0/0\", \"::/0\" ]");
        sections.put("diagnostics", "[ \"0.0.0.0/0\", \"::/0\" ]");
        sections.put("routes", "[ { host: \"*\", path: \"/**\", origin: tested } ]");
    }

    /**
     * The image named by the system property {@code quire.test.image}, else by the environment
     * variable {@code QUIRE_TEST_IMAGE}, else {@link #IMAGE}.
     */
    public static DockerImageName image() {
        return DockerImageName.parse(
                Optional.ofNullable(System.getProperty("quire.test.image"))
                        .or(() -> Optional.ofNullable(System.getenv("QUIRE_TEST_IMAGE")))
                        .orElse(IMAGE));
    }

    /** Sets the origin to the server on {@code port} of this machine's loopback. */
    public QuireContainer inFrontOf(int port) {
        return inFrontOf(URI.create("http://127.0.0.1:" + port));
    }

    /**
     * Sets the origin to the server at {@code url}: on this machine if its host is a loopback
     * address, else one that the container resolves by that name. An origin on this machine may be
     * set, or replaced, while the container runs.
     *
     * @throws IllegalArgumentException if it is not {@code http://HOST[:PORT]}
     * @throws IllegalStateException if the container runs, and it or the earlier origin is not on
     *     this machine
     */
    public QuireContainer inFrontOf(URI url) {
        isChosen = true;
        return standInFrontOf(url);
    }

    private QuireContainer standInFrontOf(URI url) {
        var host = url.getHost();
        if (!"http".equals(url.getScheme()) || host == null) {
            throw new IllegalArgumentException("expected http://HOST[:PORT], found " + url);
        }
        var running = relay;
        if (running != null) {
            if (!isOfThisMachine(url)) {
                throw new IllegalStateException(
                        "the proxy already runs in front of this machine: set %s before start()"
                                .formatted(url));
            }
            running.to(address(url));
        } else if (isRunning()) {
            throw new IllegalStateException(
                    "the proxy runs in front of %s already: name %s before start()"
                            .formatted(origin, url));
        }
        origin = url;
        return this;
    }

    /** Sets the origin to an application on this machine, unless the test has set one. */
    void inFrontOfApplication(int port) {
        if (!isChosen) {
            standInFrontOf(URI.create("http://127.0.0.1:" + port));
        }
    }

    /**
     * Replaces one section of the configuration by this YAML, for example {@code with("cache", "{
     * grace: 0s }")}. The origin is called {@code tested}.
     */
    public QuireContainer with(String section, String yaml) {
        sections.put(section, yaml);
        return this;
    }

    /** The URL for clients. Requires that the container has been started. */
    public URI url() {
        return URI.create("http://" + getHost() + ":" + getMappedPort(HTTP));
    }

    /**
     * The URL of {@code target} for clients and purges. Requires that the container has been
     * started.
     */
    public URI url(String target) {
        return url().resolve(target);
    }

    /**
     * The URL for operators, with the {@link #token}. Requires that the container has been started.
     */
    public URI admin() {
        return URI.create("http://" + getHost() + ":" + getMappedPort(ADMIN));
    }

    /** The token for {@code Authorization: Bearer} of operators; different for each container. */
    public String token() {
        return token;
    }

    @Override
    protected void configure() {
        var server = origin;
        if (server == null || isOfThisMachine(server)) {
            var opened = HostRelay.open();
            relay = opened;
            HostRelay.letIn(this);
            if (server != null) {
                opened.to(address(server));
            }
            server = URI.create("http://" + HostRelay.HOST + ":" + opened.port());
        }
        tested = server;
        withExposedPorts(HTTP, ADMIN);
        withEnv("QUIRE_ADMIN_TOKEN_FILE", TOKEN);
        withCopyToContainer(Transferable.of(token, READABLE), TOKEN);
        withCopyToContainer(Transferable.of(yaml(), READABLE), CONFIGURATION);
    }

    /**
     * Starts it and waits for at most a minute until it is ready.
     *
     * @throws IllegalStateException with the proxy's log, if its configuration is invalid, it
     *     cannot start, or the image is absent
     */
    @Override
    public void start() {
        try {
            super.start();
        } catch (ContainerLaunchException e) {
            stop();
            throw new IllegalStateException(whyNot(e), e);
        }
    }

    private String whyNot(Throwable launch) {
        for (var cause = launch.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof NotStarted) {
                return String.valueOf(cause.getMessage());
            }
            if (cause instanceof NotFoundException) {
                return "there is no image %s on this machine: build it with bin/image of Quire, or name another in the constructor, the system property quire.test.image or the environment variable QUIRE_TEST_IMAGE"
                        .formatted(image);
            }
        }
        return "the proxy's container did not start: " + launch.getMessage();
    }

    /** The container runs, but the proxy has ended or is not ready. */
    private static final class NotStarted extends IllegalStateException {
        NotStarted(String message) {
            super(message);
        }
    }

    @Override
    protected void waitUntilContainerStarted() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isReady()) {
            if (!isRunning()) {
                throw new NotStarted(
                        "the proxy did not start with this configuration:\n%sIts log:\n%s"
                                .formatted(yaml(), getLogs()));
            }
            if (System.nanoTime() - end > 0) {
                throw new NotStarted(
                        "expected 200 from /readyz within %d seconds; the proxy's log:\n%s"
                                .formatted(PATIENCE.toSeconds(), getLogs()));
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private boolean isReady() {
        try {
            var readiness = (HttpURLConnection) admin().resolve("/readyz").toURL().openConnection();
            readiness.setConnectTimeout((int) PATIENCE.toMillis());
            readiness.setReadTimeout((int) PATIENCE.toMillis());
            readiness.setRequestProperty("Authorization", "Bearer " + token);
            return readiness.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Ends the container immediately and discards its cache. */
    @Override
    public void stop() {
        super.stop();
        var opened = relay;
        if (opened != null) {
            opened.close();
            relay = null;
        }
    }

    private String yaml() {
        var all = new LinkedHashMap<>(sections);
        all.putIfAbsent("origins", "{ tested: { urls: [\"%s\"] } }".formatted(tested));
        return all.entrySet().stream()
                .map(section -> section.getKey() + ": " + section.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private static boolean isOfThisMachine(URI url) {
        return address(url).getAddress() != null && address(url).getAddress().isLoopbackAddress();
    }

    /** Resolves {@code localhost} only: containers resolve other names themselves. */
    private static InetSocketAddress address(URI url) {
        int port = url.getPort() < 0 ? 80 : url.getPort();
        var host = url.getHost();
        if (!host.equals("localhost") && !host.matches("[0-9.]+|\\[.*]")) {
            return InetSocketAddress.createUnresolved(host, port);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("expected http://HOST[:PORT], found " + url, e);
        }
    }
}
