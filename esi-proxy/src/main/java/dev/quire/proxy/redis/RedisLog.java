package dev.quire.proxy.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import dev.quire.proxy.cache.RecordPosition;
import dev.quire.proxy.fleet.LogId;
import dev.quire.proxy.fleet.LogServer;
import dev.quire.proxy.fleet.NodeBuild;
import dev.quire.proxy.store.StoreFault;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The log of a fleet in Redis or Valkey, on connections of its own: one for calls, one for
 * messages, and one that waits for replicas. They are made again when they are lost.
 */
public final class RedisLog implements LogServer {

    /*
     * Keys, in one slot: the log is the stream "NAMESPACE:{log}", its epoch and its owner are in the
     * hash "NAMESPACE:{log}:e", the nodes in the hash "NAMESPACE:{log}:n". Messages are published on
     * the channel "NAMESPACE:{log}", and to one node on "NAMESPACE:{log}:a:NODE".
     *
     *   e PREVIOUS ID ENTRY   an entry was appended
     *   b                     an epoch has begun
     *   ? POSITION NODE       tell the node once that is applied
     *   POSITION NODE         to the asking node: applied
     */

    /** How long the server waits for its replicas. */
    private static final long REPLICAS_MILLIS = 100;

    /**
     * A server that answers no call for so long may be one that is stopped while its machine still
     * acknowledges; another one may have taken its place.
     */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(5);

    /** Fewer may be without an answer since this process was stopped. */
    private static final int FEW_CALLS = 2;

    /** Of the entries in one answer; it has at least some. */
    private static final int MAX_PAGE_BYTES = 1 << 20;

    private static final RedisCodec<String, byte[]> CODEC =
            RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    private final RedisSettings.Access access;
    private final StoreConnector connector;
    private final ClientResources resources;
    private final String node;
    private final String log;
    private final String[] keys;
    private final LogLink<StatefulConnection<String, byte[]>> calls;
    private volatile @Nullable LogLink<?> messages;
    private final int replicas;

    /** Has calls that wait, and hold up all behind them. Not used without {@link #replicas}. */
    private final LogLink<StatefulConnection<String, byte[]>> forReplicas;

    /** The calls since the last answer; null without one. */
    private final AtomicReference<@Nullable Unanswered> unanswered = new AtomicReference<>();

    private volatile Runnable connected = () -> {};
    private volatile boolean isClosed;
    private volatile Supplier<NodeBuild> build = () -> NodeBuild.UNKNOWN;

    /**
     * @param node the name of this node with its incarnation
     * @param replicas of the server that {@link #copies} waits for
     */
    public RedisLog(RedisSettings settings, String node, int replicas) {
        // By default it waits for up to 30 s, and the node would be behind long after an outage.
        var between = Delay.constant(LogLink.RETRY);
        this.resources = ClientResources.builder().reconnectDelay(between).build();
        this.access = settings.access();
        this.connector = StoreConnector.of(access, resources, true, settings.limits().queue());
        this.node = node;
        this.log = settings.namespace() + ":{log}";
        this.keys = new String[] {log, log + ":e", log + ":n"};
        this.calls = new LogLink<>(() -> connector.connect(CODEC), made -> connected.run());
        this.replicas = replicas;
        this.forReplicas = new LogLink<>(() -> connector.connect(CODEC), made -> {});
    }

    @Override
    public void connect(Listener listener) {
        var heard =
                new LogLink<StatefulRedisPubSubConnection<String, byte[]>>(
                        () -> connector.connectForMessages(CODEC),
                        made -> {
                            made.addListener(new Messages(listener));
                            made.async()
                                    .subscribe(log, channelOf(node))
                                    .whenComplete((done, fault) -> listening(listener, fault));
                        });
        messages = heard;
        connected = listener::connected;
        calls.connect();
        heard.connect();
        if (replicas > 0) {
            forReplicas.connect();
        }
    }

    /** Lettuce repeats only subscriptions that the server has confirmed once. */
    private void listening(Listener listener, @Nullable Throwable fault) {
        if (fault == null || isClosed) {
            return;
        }
        if (RootCause.of(fault) instanceof RedisCommandExecutionException) {
            listener.listening(reason(fault));
        }
        var heard = messages;
        if (heard != null) {
            heard.renew();
        }
    }

    /** Calls without an answer. */
    private record Unanswered(long sinceNanos, int number) {}

    @Override
    public String addresses() {
        return access.topology().servers().stream()
                .map(RedisSettings.Server::toString)
                .collect(joining(", "));
    }

    private String channelOf(String member) {
        return log + ":a:" + member;
    }

    /** Registers what {@code now} returns as what this node runs. Before it connects. */
    public void register(Supplier<NodeBuild> now) {
        build = now;
    }

    @Override
    public CompletionStage<Tick> tick(Owner owner, Registration registration, int most) {
        var arguments =
                Stream.of(
                        owner.fleet(),
                        owner.schema() + "",
                        registration.node(),
                        registration.epoch() + "",
                        LogId.text(registration.applied()),
                        most + "",
                        build.get().text(),
                        MAX_PAGE_BYTES + "",
                        text(registration.table()));
        var former =
                registration.former().entrySet().stream()
                        .flatMap(node -> Stream.of(node.getKey(), node.getValue() + ""));
        return run(
                LogScript.TICK,
                RedisLog::tick,
                Stream.concat(arguments, former).toArray(String[]::new));
    }

    private static Tick tick(List<?> answer) {
        return switch (text(answer.get(0))) {
            case "none" -> new NoEpoch();
            case "other" ->
                    new Other(
                            new Owner(text(answer.get(1)), Integer.parseInt(text(answer.get(2)))));
            default ->
                    new State(
                            Long.parseLong(text(answer.get(1))),
                            id(answer.get(2)),
                            (Long) answer.get(3),
                            extent(answer, 4),
                            Long.parseLong(text(answer.get(8))),
                            list(answer.get(9)).stream().map(RedisLog::entry).toList(),
                            answer.size() > 10
                                    ? Optional.of(members(answer.get(3), answer, 10))
                                    : Optional.empty());
        };
    }

    private static String text(@Nullable Table table) {
        if (table == null) {
            return "-";
        }
        return table.sinceMillis()
                + " "
                + table.entered()
                + " "
                + table.size()
                + " "
                + table.newest();
    }

    private static Extent extent(List<?> answer, int at) {
        return new Extent(
                id(answer.get(at)),
                id(answer.get(at + 1)),
                (Long) answer.get(at + 2),
                (Long) answer.get(at + 3));
    }

    private static Entry entry(Object entry) {
        var parts = list(entry);
        return new Entry(id(parts.get(0)), (byte[]) list(parts.get(1)).get(1));
    }

    @Override
    public CompletionStage<Append> append(
            long epoch, long applied, List<byte[]> entries, long retention, int most) {
        var first =
                Stream.of(epoch + "", LogId.text(applied), retention + "", most + "", log)
                        .map(each -> each.getBytes(UTF_8));
        return run(
                LogScript.APPEND,
                answer ->
                        answer.isEmpty()
                                ? new OtherEpoch()
                                : new Appended(
                                        id(answer.get(0)),
                                        answer.stream().skip(1).map(RedisLog::id).toList()),
                Stream.concat(first, entries.stream()).toArray(byte[][]::new));
    }

    @Override
    public CompletionStage<Boolean> begin(
            Owner owner, long former, long epoch, long after, byte[] first) {
        var arguments =
                Stream.of(
                                owner.fleet(),
                                owner.schema() + "",
                                former + "",
                                epoch + "",
                                LogId.text(after),
                                log)
                        .map(each -> each.getBytes(UTF_8));
        return run(
                LogScript.BEGIN,
                answer -> answer.get(0).equals(1L),
                Stream.concat(arguments, Stream.of(first)).toArray(byte[][]::new));
    }

    @Override
    public CompletionStage<Ends> end(long epoch, long applied, String name, boolean hasCompared) {
        return run(
                LogScript.FURTHEST,
                answer ->
                        new Ends(
                                id(answer.get(0)),
                                answer.get(1).equals(1L),
                                id(answer.get(2)),
                                answer.get(3).equals(1L),
                                list(answer.get(4)).stream()
                                        .map(other -> Long.parseLong(text(other)))
                                        .toList()),
                epoch + "",
                LogId.text(applied),
                name,
                hasCompared ? "1" : "0");
    }

    @Override
    public CompletionStage<Overview> ask(String asker, RecordPosition position) {
        return run(LogScript.ASK, RedisLog::overview, log, asker, LogId.text(position));
    }

    @Override
    public CompletionStage<Overview> overview(Duration longestSilence) {
        return run(LogScript.OVERVIEW, RedisLog::overview, longestSilence.toMillis() + "");
    }

    private static Overview overview(List<?> answer) {
        return new Overview(
                extent(answer, 3),
                members(answer.get(0), answer, 1),
                answer.size() > 7 && answer.get(7) instanceof byte[] policy
                        ? Optional.of(text(policy))
                        : Optional.empty());
    }

    private static Members members(Object millis, List<?> answer, int at) {
        var table = text(answer.get(at)).split(" ", 4);
        var all = list(answer.get(at + 1));
        var byNode = new HashMap<String, Member>();
        for (int i = 0; i + 1 < all.size(); i += 2) {
            var parts = text(all.get(i + 1)).split(" ", 4);
            byNode.put(
                    text(all.get(i)),
                    Member.of(
                            Long.parseLong(parts[0]),
                            LogId.of(parts[1]),
                            Long.parseLong(parts[2]),
                            parts.length > 3 ? parts[3] : ""));
        }
        return new Members(
                (Long) millis,
                new Table(
                        Long.parseLong(table[0]),
                        Long.parseLong(table[1]),
                        Long.parseLong(table[2]),
                        table[3]),
                byNode);
    }

    @Override
    public CompletionStage<Copies> copies(Set<RecordPosition> entries) {
        var connection = forReplicas.present();
        if (connection == null) {
            return unconnected(forReplicas);
        }
        var all = List.copyOf(entries);
        try {
            // The replicas of a server confirm only what this connection has written there.
            return StoreConnector.ofKey(connection, log, CODEC)
                    .thenCompose(one -> copies(one.async(), all))
                    .exceptionallyCompose(fault -> {
                        if (RootCause.of(fault) instanceof RedisReadOnlyException) {
                            forReplicas.renew();
                        }
                        connector.refresh();
                        return CompletableFuture.failedStage(new RedisException(reason(fault)));
                    });
        } catch (RedisException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private CompletionStage<Copies> copies(
            RedisClusterAsyncCommands<String, byte[]> commands, List<RecordPosition> entries) {
        var arguments =
                entries.stream()
                        .flatMap(each -> Stream.of(each.epoch() + "", LogId.text(each.number())))
                        .map(each -> each.getBytes(UTF_8))
                        .toArray(byte[][]::new);
        return evaluate(commands, LogScript.COPY, arguments)
                .thenCompose(found ->
                        commands.waitForReplication(replicas, REPLICAS_MILLIS)
                                .thenApply(number ->
                                        new Copies(
                                                found.stream()
                                                        .map(each -> ((Long) each).intValue() - 1)
                                                        .map(entries::get)
                                                        .collect(toSet()),
                                                Math.toIntExact(number))));
    }

    @Override
    public void tell(String asker, String teller, RecordPosition position) {
        var message = (LogId.text(position) + " " + teller).getBytes(UTF_8);
        call(commands -> commands.publish(channelOf(asker), message));
    }

    @Override
    public CompletionStage<Long> leave(String leaving, Duration silence) {
        return run(
                LogScript.LEAVE, answer -> (Long) answer.get(0), leaving, silence.toMillis() + "");
    }

    private <T> CompletionStage<T> run(
            LogScript script, Function<List<?>, T> reading, String... arguments) {
        return run(
                script,
                reading,
                Stream.of(arguments).map(each -> each.getBytes(UTF_8)).toArray(byte[][]::new));
    }

    private <T> CompletionStage<T> run(
            LogScript script, Function<List<?>, T> reading, byte[][] arguments) {
        return call(commands -> evaluate(commands, script, arguments)).thenApply(reading);
    }

    private CompletionStage<List<Object>> evaluate(
            RedisClusterAsyncCommands<String, byte[]> commands,
            LogScript script,
            byte[]... arguments) {
        return commands.<List<Object>>evalsha(
                        commands.digest(script.text()), ScriptOutputType.MULTI, keys, arguments)
                .exceptionallyCompose(fault ->
                        isUnknown(fault)
                                ? commands.<List<Object>>eval(
                                        script.text(), ScriptOutputType.MULTI, keys, arguments)
                                : CompletableFuture.failedStage(fault));
    }

    private static boolean isUnknown(Throwable fault) {
        return RootCause.of(fault) instanceof RedisNoScriptException;
    }

    private <T> CompletionStage<T> call(
            Function<RedisClusterAsyncCommands<String, byte[]>, CompletionStage<T>> call) {
        var connection = calls.present();
        if (connection == null) {
            return unconnected(calls);
        }
        renewIfSilent();
        try {
            return call.apply(StoreConnector.commands(connection))
                    .whenComplete((answer, fault) -> unanswered.set(null))
                    .exceptionallyCompose(fault -> CompletableFuture.failedStage(named(fault)));
        } catch (RedisException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private <T> CompletionStage<T> unconnected(LogLink<?> link) {
        var reason = link.failure();
        return CompletableFuture.failedStage(
                new RedisException(
                        reason == null
                                ? "not connected yet"
                                : StoreFault.ofConnection(RootCause.text(reason), access.key())
                                        .toString()));
    }

    /** Counts a call. Makes the connections anew after several without an answer. */
    private void renewIfSilent() {
        long now = System.nanoTime();
        var calls = unanswered.get();
        if (calls == null) {
            unanswered.compareAndSet(null, new Unanswered(now, 1));
        } else if (calls.number() >= FEW_CALLS
                && now - calls.sinceNanos() > LONGEST_SILENCE.toNanos()) {
            if (unanswered.compareAndSet(calls, null)) {
                renew();
            }
        } else {
            unanswered.compareAndSet(calls, new Unanswered(calls.sinceNanos(), calls.number() + 1));
        }
    }

    /** Makes all connections anew: another server may have the log now. */
    private void renew() {
        calls.renew();
        forReplicas.renew();
        var heard = messages;
        if (heard != null) {
            heard.renew();
        }
    }

    private Throwable named(Throwable fault) {
        var cause = RootCause.of(fault);
        if (cause instanceof RedisReadOnlyException) {
            renew();
        }
        if (cause instanceof RedisCommandExecutionException) {
            return new RedisException(reason(cause));
        }
        connector.refresh();
        return cause;
    }

    private static String reason(Throwable error) {
        return StoreFault.ofError(RootCause.text(error)).toString();
    }

    @Override
    public void close() {
        isClosed = true;
        calls.close();
        forReplicas.close();
        var heard = messages;
        if (heard != null) {
            heard.close();
        }
        connector
                .close()
                .whenComplete((ended, fault) -> resources.shutdown(0, 0, TimeUnit.MILLISECONDS));
    }

    private static String text(@Nullable Object bytes) {
        return bytes instanceof byte[] all ? new String(all, UTF_8) : "";
    }

    private static long id(@Nullable Object bytes) {
        return LogId.of(text(bytes));
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> all ? all : List.of();
    }

    /** Reads messages; other ones are ignored. */
    private final class Messages extends RedisPubSubAdapter<String, byte[]> {
        private final Listener listener;

        Messages(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void subscribed(String channel, long count) {
            if (channel.equals(log)) {
                listener.listening(null);
                listener.connected();
            }
        }

        @Override
        public void message(String channel, byte[] message) {
            try {
                if (channel.equals(log)) {
                    ofAll(message);
                } else {
                    var parts = words(message, 1);
                    listener.applied(text(rest(message, parts)), LogId.position(parts.get(0)));
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException foreign) {
                // Not of a node of this version; a lost entry is found by the next tick.
            }
        }

        private void ofAll(byte[] message) {
            switch (message[0]) {
                case 'e' -> {
                    var parts = words(message, 3);
                    listener.appended(
                            LogId.of(parts.get(1)),
                            new Entry(LogId.of(parts.get(2)), rest(message, parts)));
                }
                case '?' -> {
                    var parts = words(message, 2);
                    listener.asked(text(rest(message, parts)), LogId.position(parts.get(1)));
                }
                default -> listener.begun();
            }
        }

        /** The first {@code count} words, each of which ends with a space. */
        private static List<String> words(byte[] message, int count) {
            var words = new ArrayList<String>();
            int start = 0;
            for (int i = 0; i < count; i++) {
                int end = start;
                while (message[end] != ' ') {
                    end++;
                }
                words.add(new String(message, start, end - start, ISO_8859_1));
                start = end + 1;
            }
            return words;
        }

        private static byte[] rest(byte[] message, List<String> words) {
            int start = words.stream().mapToInt(word -> word.length() + 1).sum();
            return Arrays.copyOfRange(message, start, message.length);
        }
    }
}
