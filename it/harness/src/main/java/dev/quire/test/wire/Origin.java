package dev.quire.test.wire;

import dev.quire.test.wire.internal.Watch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The server behind the proxy, in this JVM: it sends scripted answers over raw sockets, and records
 * the requests. Unscripted targets get 404. A script applies to a target ({@code /x?page=2}) or to
 * a path with any query; the target takes precedence. Thread-safe.
 */
public final class Origin implements AutoCloseable {
    /** Enough for all connections of a stampede. */
    private static final int BACKLOG = 2048;

    private final InstantSource clock;
    private final Watch watch = new Watch();
    private final Map<String, Script> scripts = new HashMap<>();
    private Script otherwise = Script.UNSCRIPTED;
    private final List<HeldAnswers> holds = new ArrayList<>();
    private final List<ReceivedRequest> requests = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<AcceptedConnection> connections = new HashSet<>();
    private final int port;
    private @Nullable ServerSocket listening;
    private boolean accepting;
    private int accepted;
    private int received;
    private boolean settling;

    private Origin(InstantSource clock) {
        this.clock = clock;
        if (clock instanceof TestClock shared) {
            shared.connect(this);
        }
        var socket = listen(0);
        port = socket.getLocalPort();
        accept(socket);
    }

    /** An origin on a free port of the loopback, with the machine's clock. */
    public static Origin start() {
        return start(InstantSource.system());
    }

    /** An origin on a free port of the loopback whose {@code Date} uses {@code clock}. */
    public static Origin start(InstantSource clock) {
        return new Origin(clock);
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /**
     * Answers requests for {@code path} with {@code answers} in turn, then with the last one
     * repeatedly; replaces an earlier script for the path.
     */
    public Origin on(String path, Answer... answers) {
        if (answers.length == 0) {
            throw new IllegalArgumentException("no answers given for " + path);
        }
        return script(path, Script.sequence(List.of(answers)));
    }

    /** Answers complete requests for {@code path} with the result of {@code answer}. */
    public Origin on(String path, Function<ReceivedRequest, Answer> answer) {
        return script(path, Script.computed(answer));
    }

    /** Answers requests for unscripted targets with the result of {@code answer}. */
    public Origin otherwise(Function<ReceivedRequest, Answer> answer) {
        watch.change(() -> otherwise = Script.computed(answer));
        return this;
    }

    /** Holds the answers for {@code path} that have not started, before their heads are sent. */
    public HeldAnswers hold(String path) {
        return holdAt(path, HeldAnswers.BEFORE_HEAD);
    }

    /** The same for all paths: the origin accepts connections and requests, and sends nothing. */
    public HeldAnswers holdAll() {
        var held = new HeldAnswers(watch, request -> true, "any path", HeldAnswers.BEFORE_HEAD);
        watch.change(() -> holds.add(held));
        return held;
    }

    /** As {@link #hold}, but after {@code bodyBytes} of the body. */
    public HeldAnswers holdAfter(String path, long bodyBytes) {
        if (bodyBytes < 0) {
            throw new IllegalArgumentException("cannot hold after " + bodyBytes + " bytes");
        }
        return holdAt(path, bodyBytes);
    }

    /** All requests since the start or the last {@link #forget}, in order of arrival. */
    public List<ReceivedRequest> requests() {
        return watch.read(() -> List.copyOf(requests));
    }

    public List<ReceivedRequest> requests(String path) {
        return watch.read(() -> requestsFor(path));
    }

    /** Waits for the first {@code count} requests for {@code path}, and returns them. */
    public List<ReceivedRequest> awaitRequests(String path, int count) {
        watch.await(
                () -> requestsFor(path).size() >= count,
                () ->
                        "expected %d requests for %s, found %d; all requests: %s"
                                .formatted(count, path, requestsFor(path).size(), requests));
        return requests(path).subList(0, count);
    }

    public ReceivedRequest awaitRequest(String path) {
        return awaitRequests(path, 1).getFirst();
    }

    /** The requested paths since the start or the last {@link #forget}, in order. */
    public List<String> paths() {
        return watch.read(() -> requests.stream().map(ReceivedRequest::path).toList());
    }

    /** Clears the recorded requests; the numbering continues. */
    public void forget() {
        watch.change(requests::clear);
    }

    /** Ends all delays, and waits until every request has its answer. */
    public void settle() {
        watch.change(() -> settling = true);
        try {
            watch.await(
                    () -> connections.stream().allMatch(AcceptedConnection::isQuiet),
                    () -> "expected all requests to be answered: " + connections);
        } finally {
            watch.change(() -> settling = false);
        }
    }

    /**
     * Checks the requests since the last call.
     *
     * @throws AssertionError if one of them was malformed, or a script failed
     */
    public void verify() {
        var found =
                watch.read(() -> {
                    var all = List.copyOf(faults);
                    faults.clear();
                    return all;
                });
        if (!found.isEmpty()) {
            throw new AssertionError("the origin reported " + String.join("; ", found));
        }
    }

    public int openConnections() {
        return watch.read(connections::size);
    }

    /** Stops listening and resets all connections. The script is preserved. */
    public void goDown() {
        var socket = watch.read(() -> listening);
        if (socket == null) {
            throw new IllegalStateException("the origin is already down");
        }
        watch.change(() -> {
            listening = null;
            closeListener(socket);
        });
        watch.read(() -> List.copyOf(connections)).forEach(AcceptedConnection::reset);
        watch.await(
                () -> !accepting && connections.isEmpty(),
                () -> "expected all connections to end: " + connections);
    }

    /** Listens again on the same port. */
    public void comeUp() {
        if (watch.read(() -> listening) != null) {
            throw new IllegalStateException("the origin is already up");
        }
        accept(listen(port));
    }

    /**
     * Stops for good.
     *
     * @throws AssertionError if a request was malformed, or a script failed
     */
    @Override
    public void close() {
        if (watch.read(() -> listening) != null) {
            goDown();
        }
        watch.read(() -> List.copyOf(holds)).forEach(HeldAnswers::release);
        verify();
    }

    /** Guards its state; a script that waits for events of its own can share it. */
    public Watch watch() {
        return watch;
    }

    InstantSource clock() {
        return clock;
    }

    ReceivedRequest received(IntFunction<ReceivedRequest> inOrder) {
        return watch.read(() -> {
            var request = inOrder.apply(++received);
            watch.change(() -> requests.add(request));
            return request;
        });
    }

    /** The script line for {@code request}, which is complete unless its answer is early. */
    Script.Line lineFor(ReceivedRequest request) {
        return watch.read(() -> {
            var script = scripts.get(request.target());
            if (script == null) {
                script = scripts.getOrDefault(request.path(), otherwise);
            }
            return script.next();
        });
    }

    /** The points at which the answer to {@code request} has to wait. */
    List<HeldAnswers> holdsFor(ReceivedRequest request) {
        return watch.read(() ->
                holds.stream().filter(held -> held.isFor(request) && !held.isReleased()).toList());
    }

    /**
     * Waits on the answer's own thread for {@code delay} at most; not at all during {@link
     * #settle}.
     */
    void pause(ReceivedRequest request, Duration delay) {
        if (delay.isPositive()) {
            watch.awaitFor(delay, () -> settling || request.isAbandoned());
        }
    }

    void met(String fault) {
        watch.change(() -> faults.add(fault));
    }

    void ended(AcceptedConnection connection) {
        watch.change(() -> connections.remove(connection));
    }

    private Origin script(String path, Script script) {
        if (!path.startsWith("/") && !path.equals("*")) {
            throw new IllegalArgumentException(
                    "expected a path that starts with '/', found " + path);
        }
        watch.change(() -> scripts.put(path, script));
        return this;
    }

    private HeldAnswers holdAt(String path, long bodyBytes) {
        var held = new HeldAnswers(watch, request -> isFor(path, request), path, bodyBytes);
        watch.change(() -> holds.add(held));
        return held;
    }

    private List<ReceivedRequest> requestsFor(String path) {
        return requests.stream()
                .filter(request -> isFor(path, request))
                .collect(Collectors.toUnmodifiableList());
    }

    private static boolean isFor(String path, ReceivedRequest request) {
        return path.equals(path.indexOf('?') < 0 ? request.path() : request.target());
    }

    private static ServerSocket listen(int port) {
        try {
            var socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException("the origin cannot listen on port " + port, e);
        }
    }

    private void accept(ServerSocket socket) {
        watch.change(() -> {
            listening = socket;
            accepting = true;
        });
        Thread.ofVirtual().name("origin-" + port).start(() -> acceptFrom(socket));
    }

    private void acceptFrom(ServerSocket socket) {
        try {
            while (true) {
                begin(socket);
            }
        } catch (IOException e) {
            if (!socket.isClosed()) {
                met("a failed accept: " + e);
            }
        } finally {
            // The port refuses connections only now: a socket stays open while a thread accepts on
            // it.
            watch.change(() -> accepting = false);
        }
    }

    private void begin(ServerSocket socket) throws IOException {
        var client = socket.accept();
        client.setTcpNoDelay(true);
        watch.change(() -> {
            var connection = new AcceptedConnection(this, client, ++accepted);
            if (socket.isClosed()) {
                connection.discard();
            } else {
                connections.add(connection);
                connection.start();
            }
        });
    }

    private static void closeListener(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the origin cannot stop listening", e);
        }
    }
}
