package dev.quire.test;

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
 * The server behind the proxy, in this JVM: it answers as the test has told it, on raw sockets, and
 * remembers what reached it. What it was not told about is 404. A script names either a whole
 * target ({@code /x?page=2}) or a path, which stands for all its queries; the target wins. Any
 * thread.
 */
public final class Origin implements AutoCloseable {
    /** As many connections as may come at once in a stampede. */
    private static final int BACKLOG = 2048;

    private final InstantSource clock;
    private final Watch watch = new Watch();
    private final Map<String, Script> scripts = new HashMap<>();
    private Script otherwise = Script.UNSCRIPTED;
    private final List<Held> holds = new ArrayList<>();
    private final List<ReceivedRequest> requests = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private final Set<OriginConnection> connections = new HashSet<>();
    private final int port;
    private @Nullable ServerSocket listening;
    private boolean accepting;
    private int accepted;
    private int received;
    private boolean settling;

    private Origin(InstantSource clock) {
        this.clock = clock;
        if (clock instanceof HandSetClock handSet) {
            handSet.connect(this);
        }
        var socket = listen(0);
        port = socket.getLocalPort();
        accept(socket);
    }

    /** An origin on a free port of the loopback, with the machine's clock. */
    public static Origin start() {
        return start(InstantSource.system());
    }

    /** An origin on a free port of the loopback whose {@code Date} is read from {@code clock}. */
    public static Origin start(InstantSource clock) {
        return new Origin(clock);
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Its URL, without a path. */
    public URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /**
     * Answers requests for {@code path} with {@code answers} in turn, the last one again and again;
     * replaces what was said about the path before.
     */
    public Origin on(String path, Answer... answers) {
        if (answers.length == 0) {
            throw new IllegalArgumentException("no answers given for " + path);
        }
        return script(path, new Script.Sequence(List.of(answers)));
    }

    /** Answers requests for {@code path} with what {@code answer} makes of each, body included. */
    public Origin on(String path, Function<ReceivedRequest, Answer> answer) {
        return script(path, new Script.Computed(answer));
    }

    /** Answers what no path was scripted for with what {@code answer} makes of each request. */
    public Origin otherwise(Function<ReceivedRequest, Answer> answer) {
        watch.change(() -> otherwise = new Script.Computed(answer));
        return this;
    }

    /** Holds the answers for {@code path} that have not begun, before their heads leave. */
    public Held hold(String path) {
        return holdAt(path, Held.BEFORE_HEAD);
    }

    /** Holds all answers that have not begun: it takes connections and requests, and is silent. */
    public Held holdAll() {
        var held = new Held(watch, request -> true, "any path", Held.BEFORE_HEAD);
        watch.change(() -> holds.add(held));
        return held;
    }

    /** Holds the answers for {@code path} that have not begun, behind that much of the body. */
    public Held holdAfter(String path, long bodyBytes) {
        if (bodyBytes < 0) {
            throw new IllegalArgumentException("cannot hold after " + bodyBytes + " bytes");
        }
        return holdAt(path, bodyBytes);
    }

    /** All requests since the start or the last {@link #forget}, in the order they came. */
    public List<ReceivedRequest> requests() {
        return watch.read(() -> List.copyOf(requests));
    }

    /** Those for {@code path}, which may name a target with its query. */
    public List<ReceivedRequest> requests(String path) {
        return watch.read(() -> requestsFor(path));
    }

    /** Waits until {@code count} requests for {@code path} have come, and gives the first ones. */
    public List<ReceivedRequest> awaitRequests(String path, int count) {
        watch.await(
                () -> requestsFor(path).size() >= count,
                () ->
                        "expected %d requests for %s, found %d; all requests: %s"
                                .formatted(count, path, requestsFor(path).size(), requests));
        return requests(path).subList(0, count);
    }

    /** Waits for the first request for {@code path}. */
    public ReceivedRequest awaitRequest(String path) {
        return awaitRequests(path, 1).getFirst();
    }

    /** The paths asked for since the start or the last {@link #forget}, in order. */
    public List<String> paths() {
        return watch.read(() -> requests.stream().map(ReceivedRequest::path).toList());
    }

    /** Forgets the requests so far; what comes is numbered on. */
    public void forget() {
        watch.change(requests::clear);
    }

    /** Lets delayed answers leave at once, and waits until no request is without its answer. */
    public void settle() {
        watch.change(() -> settling = true);
        try {
            watch.await(
                    () -> connections.stream().allMatch(OriginConnection::isQuiet),
                    () -> "expected all requests to be answered: " + connections);
        } finally {
            watch.change(() -> settling = false);
        }
    }

    /**
     * Looks back over what reached it since it was last asked.
     *
     * @throws AssertionError if some of it was no HTTP request, or a script failed
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

    /** How many connections it has accepted since the start. */
    public int acceptedConnections() {
        return watch.read(() -> accepted);
    }

    /** How many connections are open. */
    public int openConnections() {
        return watch.read(connections::size);
    }

    /**
     * Waits until the answer to {@code request} can go no further: for {@code quiet} the connection
     * has taken nothing.
     *
     * @return how many bytes it had taken by then, or all when the answer is complete
     */
    public long awaitStalled(ReceivedRequest request, Duration quiet) {
        while (true) {
            long before = request.writtenBytes();
            boolean moved =
                    watch.awaitFor(
                            quiet, () -> request.writtenBytes() > before || request.isAnswered());
            if (!moved || request.isAnswered()) {
                return request.writtenBytes();
            }
        }
    }

    /** Goes down: nobody listens any more and all connections are reset. The script stays. */
    public void goDown() {
        var socket = watch.read(() -> listening);
        if (socket == null) {
            throw new IllegalStateException("the origin is already down");
        }
        watch.change(() -> {
            listening = null;
            closeListener(socket);
        });
        watch.read(() -> List.copyOf(connections)).forEach(OriginConnection::reset);
        watch.await(
                () -> !accepting && connections.isEmpty(),
                () -> "expected all connections to end: " + connections);
    }

    /** Comes up again on the same port. */
    public void comeUp() {
        if (watch.read(() -> listening) != null) {
            throw new IllegalStateException("the origin is already up");
        }
        accept(listen(port));
    }

    /**
     * Goes down for good.
     *
     * @throws AssertionError if something reached it that is no HTTP request, or a script failed
     */
    @Override
    public void close() {
        if (watch.read(() -> listening) != null) {
            goDown();
        }
        watch.read(() -> List.copyOf(holds)).forEach(Held::release);
        verify();
    }

    Watch watch() {
        return watch;
    }

    InstantSource clock() {
        return clock;
    }

    /** Remembers a request whose head has just come. */
    ReceivedRequest received(IntFunction<ReceivedRequest> inOrder) {
        return watch.read(() -> {
            var request = inOrder.apply(++received);
            watch.change(() -> requests.add(request));
            return request;
        });
    }

    /** What is to be said to {@code request}, which is whole unless that is to be said early. */
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
    List<Held> holdsFor(ReceivedRequest request) {
        return watch.read(() ->
                holds.stream().filter(held -> held.isFor(request) && !held.isReleased()).toList());
    }

    /** Waits on the answer's own thread, at most for {@code delay}; not at all once settling. */
    void pause(ReceivedRequest request, Duration delay) {
        if (delay.isPositive()) {
            watch.awaitFor(delay, () -> settling || request.isAbandoned());
        }
    }

    void met(String fault) {
        watch.change(() -> faults.add(fault));
    }

    void ended(OriginConnection connection) {
        watch.change(() -> connections.remove(connection));
    }

    private Origin script(String path, Script script) {
        if (!path.startsWith("/") && !path.equals("*")) {
            throw new IllegalArgumentException("expected a path that starts with '/', found " + path);
        }
        watch.change(() -> scripts.put(path, script));
        return this;
    }

    private Held holdAt(String path, long bodyBytes) {
        var held = new Held(watch, request -> isFor(path, request), path, bodyBytes);
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
            // Only now does the port refuse: a socket stays open while a thread accepts on it.
            watch.change(() -> accepting = false);
        }
    }

    private void begin(ServerSocket socket) throws IOException {
        var client = socket.accept();
        client.setTcpNoDelay(true);
        watch.change(() -> {
            var connection = new OriginConnection(this, client, ++accepted);
            if (socket.isClosed()) {
                connection.reset();
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
