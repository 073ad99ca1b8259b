package dev.quire.proxy;

import dev.quire.core.assemble.AssemblyObserver;
import dev.quire.core.http.Scheme;
import dev.quire.proxy.admin.AdminActions;
import dev.quire.proxy.admin.ConfigurationActions;
import dev.quire.proxy.admin.ReloadTerms;
import dev.quire.proxy.cli.CannotStart;
import dev.quire.proxy.cli.ListenAddresses;
import dev.quire.proxy.cli.Server;
import dev.quire.proxy.cli.ServerHealth;
import dev.quire.proxy.config.Configuration;
import dev.quire.proxy.config.LoadedConfiguration;
import dev.quire.proxy.config.Problem;
import dev.quire.proxy.exchange.OriginClient;
import dev.quire.proxy.exchange.Time;
import dev.quire.proxy.exchange.Tunnels;
import dev.quire.proxy.handover.HandoverFailed;
import dev.quire.proxy.handover.HandoverOffer;
import dev.quire.proxy.handover.ListeningSockets;
import dev.quire.proxy.handover.Takeover;
import dev.quire.proxy.listen.Descriptors;
import dev.quire.proxy.listen.EventLoops;
import dev.quire.proxy.listen.Listener;
import dev.quire.proxy.listen.Transport;
import dev.quire.proxy.log.AccessLog;
import dev.quire.proxy.log.ProcessLog;
import dev.quire.proxy.metrics.HandoverMetrics;
import dev.quire.proxy.metrics.Metrics;
import dev.quire.proxy.path.CurrentParts;
import dev.quire.proxy.path.Exchanges;
import dev.quire.proxy.path.Journal;
import dev.quire.proxy.path.ProxyParts;
import dev.quire.proxy.path.SharedParts;
import dev.quire.proxy.tls.ServerTls;
import dev.quire.proxy.tls.UnusableFile;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.util.internal.PlatformDependent;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The surrogate: creates its parts, starts and stops them. */
public final class Proxy implements Server, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

    /** How long a replaced process answers probes. */
    private static final Duration LAST_PROBES = Duration.ofMillis(500);

    /** How long clients of a replaced process wait for the index of the disk tier. */
    private static final Duration INDEX_PATIENCE = Duration.ofSeconds(1);

    private final EventLoopGroup loops;

    /** Whether closing the proxy shuts down the loops. */
    private final boolean ownsLoops;

    /** Origin clients by name; null if the proxy creates fetchers. */
    private final @Nullable Function<String, OriginClient> given;

    private final AccessLog accessLog;
    private final SharedParts shared;
    private final DiskStorage storage;
    private final SharedStorage sharedStorage;
    private final Origins origins;
    private final Exchanges exchanges;
    private final ServerTls tls;
    private final Listener listener;
    private final Generations generations;
    private final Handovers handovers;
    private final Administration administration;
    private final AdminPorts adminPorts;
    private final ClientPorts clientPorts;

    private final OpenFiles openFiles;
    private boolean isStarted;

    private volatile Runnable whenDrained =
            () -> Thread.ofVirtual().name("quire-drain").start(this::drainAndStop);

    /**
     * @param time drives the cache; sockets use the machine's clock
     */
    public Proxy(Configuration configuration, Time time) {
        this(configuration, time, AssemblyObserver.NONE);
    }

    /**
     * @param time drives the cache; sockets use the machine's clock
     * @param observer notified of the parts of each page, on event loops
     */
    public Proxy(Configuration configuration, Time time, AssemblyObserver observer) {
        this(configuration, null, time, observer, null, null);
    }

    /**
     * A proxy that can read its configuration again.
     *
     * @param time drives the cache; sockets use the machine's clock
     */
    public Proxy(LoadedConfiguration loaded, Time time) {
        this(loaded.configuration(), loaded, time, AssemblyObserver.NONE, null, null);
    }

    private Proxy(
            Configuration configuration,
            @Nullable LoadedConfiguration loaded,
            Time time,
            AssemblyObserver observer,
            @Nullable EventLoopGroup drivers,
            @Nullable Function<String, OriginClient> given) {
        this.given = given;
        var transport = Transport.ofThisMachine();
        this.openFiles = new OpenFiles(transport.loops());
        this.ownsLoops = drivers == null;
        this.loops =
                drivers != null
                        ? drivers
                        : new EventLoops(transport.loops(), "quire-loop", transport.ioHandlers());
        var metrics = new Metrics();
        this.accessLog = new AccessLog(configuration.log());
        metrics.showAccessLogDropped(accessLog::dropped);
        metrics.showLogDropped(ProcessLog::dropped);
        var journal = new Journal(metrics, accessLog, time, observer);
        this.shared =
                SharedParts.of(
                        configuration,
                        time,
                        metrics,
                        journal,
                        task -> Thread.ofVirtual().name("aside").start(task),
                        new Tunnels(openFiles.maxTunnels(configuration)));
        this.storage = new DiskStorage(shared);
        storage.limit(configuration);
        this.sharedStorage = new SharedStorage(shared, transport.clientChannel());
        this.origins = new Origins(transport, metrics, shared.transit().half());
        this.exchanges = new Exchanges(shared, parts(configuration, 1));
        this.tls = new ServerTls(time::wall, metrics.tls());
        this.listener =
                new Listener(
                        loops,
                        transport,
                        exchanges,
                        rules(configuration),
                        tls,
                        time::wall,
                        journal);
        tls.onChange(listener::endDisallowed);
        metrics.showClients(
                listener::openConnections,
                exchanges::open,
                listener::receivedBytes,
                listener::sentBytes);
        this.generations = new Generations(loaded, new Running(), metrics.configurations());
        this.handovers = new Handovers(new Giver(), metrics.handovers());
        this.administration =
                new Administration(
                        shared, exchanges, origins, generations, handovers, tls, storage);
        this.clientPorts = new ClientPorts(listener);
        this.adminPorts = new AdminPorts(transport, administration);
    }

    private Listener.Rules rules(Configuration configuration) {
        return new Listener.Rules(
                configuration.listen(),
                configuration.limits(),
                () -> exchanges.current().configuration().defaultHost(),
                method -> exchanges.current().configuration().invalidation().answers(method),
                given == null ? openFiles.maxClients(configuration) : Descriptors.MAX_CLIENTS,
                configuration.trust());
    }

    private ProxyParts parts(Configuration configuration, long number) {
        var fetchers = origins.of(given == null ? configuration.origins() : Map.of());
        try {
            return ProxyParts.of(
                    configuration,
                    number,
                    shared,
                    given == null ? fetchers::named : given,
                    fetchers::close);
        } catch (RuntimeException | Error unusable) {
            origins.drop(fetchers);
            throw unusable;
        }
    }

    /**
     * Uses {@code next} for requests that begin after this call; requests in progress keep their
     * configuration. Stored responses, tunnels, and the connections to origins that did not change
     * stay. New addresses are opened before the old ones are drained. The files of the logs are
     * reopened. Blocks.
     *
     * @throws CannotStart if an address cannot be opened, the memory does not suffice, or a change
     *     needs a restart; then nothing has changed
     */
    public void replace(Configuration next) throws CannotStart {
        replace(next, exchanges.current().number() + 1, false);
    }

    private synchronized void replace(Configuration next, long number, boolean isReturn)
            throws CannotStart {
        var obstacles = obstacles(exchanges.current().configuration(), next);
        if (!obstacles.isEmpty()) {
            throw new CannotStart(obstacles);
        }
        if (!isStarted) {
            use(next, number);
            return;
        }
        if (!administration.accepts()) {
            throw CannotStart.atPresent(
                    new Problem(
                            Optional.empty(),
                            "",
                            "the proxy is draining",
                            "one that accepts requests"));
        }
        if (handovers.isOffered()) {
            throw CannotStart.atPresent(
                    new Problem(
                            Optional.empty(),
                            "",
                            "another process takes over",
                            "the configuration in its file"));
        }
        AdminPorts.Change admin = null;
        ClientPorts.Change clients = null;
        ServerTls.Change certificates = null;
        try {
            admin = adminPorts.open(next.admin());
            certificates = useCertificates(next, isReturn);
            clients = clientPorts.open(next.listen(), null);
            use(next, number);
        } catch (CannotStart | RuntimeException | Error unusable) {
            if (admin != null) {
                admin.discard();
            }
            if (clients != null) {
                clients.discard();
            }
            if (certificates != null) {
                certificates.discard();
            }
            throw unusable;
        }
        admin.commit();
        clients.commit();
        certificates.commit();
        beginAccepting();
    }

    private ServerTls.Change useCertificates(Configuration next, boolean isReturn)
            throws CannotStart {
        try {
            return isReturn ? tls.restore(next.tls()) : tls.configure(next.tls());
        } catch (UnusableFile unusable) {
            // It has changed since the configuration was read, or its certificate is not valid.
            throw new CannotStart(
                    List.of(
                            new Problem(
                                    Optional.empty(),
                                    "tls",
                                    unusable.what(),
                                    unusable.expected())));
        }
    }

    private void use(Configuration next, long number) {
        var before = exchanges.current().configuration();
        exchanges.replace(parts(next, number));
        origins.current().check(loops);
        listener.configure(rules(next));
        shared.tunnels().limit(openFiles.maxTunnels(next));
        shared.limit(next);
        storage.limit(next);
        sharedStorage.limit(next);
        if (!next.log().equals(before.log())) {
            accessLog.configure(next.log());
        }
        accessLog.reopen();
    }

    /**
     * Creates a proxy without sockets: it serves the connections passed to {@link #serve} and sends
     * requests to the clients that {@code origins} returns. It is closed but never started. Its
     * admin operations are available through {@link #administration}.
     *
     * @param loops drive those connections; owned by the caller
     * @param origins the client of each configured origin, by name
     */
    public static Proxy withoutSockets(
            Configuration configuration,
            Time time,
            AssemblyObserver observer,
            EventLoopGroup loops,
            Function<String, OriginClient> origins) {
        return new Proxy(configuration, null, time, observer, loops, origins);
    }

    @Override
    public ListenAddresses start() throws CannotStart {
        return open(null);
    }

    @Override
    public ListenAddresses start(Takeover from) throws CannotStart {
        return open(from);
    }

    private ListenAddresses open(@Nullable Takeover from) throws CannotStart {
        try {
            return listening(from);
        } catch (CannotStart cannot) {
            // Without the monitor, for which a reload may wait that close() waits for.
            close();
            throw cannot;
        }
    }

    private synchronized ListenAddresses listening(@Nullable Takeover from) throws CannotStart {
        var configuration = exchanges.current().configuration();
        var lack = lackOfMemory(configuration);
        if (lack.isPresent()) {
            throw new CannotStart(List.of(lack.get()));
        }
        warnOfSmallHeap(configuration);
        useCertificates(configuration, false);
        if (from == null) {
            openStorage(configuration);
        }
        adminPorts.open(configuration.admin(), from).commit();
        clientPorts.open(configuration.listen(), from).commit();
        shared.invalidations().sweeper().start();
        generations.start();
        origins.current().check(loops);
        isStarted = true;
        administration.ready(true);
        if (from == null) {
            beginAccepting();
        } else {
            takeOver(from);
        }
        return new ListenAddresses(
                clientPorts.addresses(), adminPorts.address(), adminPorts.probesAddress());
    }

    private void beginAccepting() {
        adminPorts.beginAccepting();
        clientPorts.beginAccepting();
    }

    /** Accepts in place of the other process. Everything that can fail was done before. */
    private void takeOver(Takeover from) throws CannotStart {
        try {
            from.complete();
        } catch (HandoverFailed e) {
            throw cannotStart(e.what(), e.expected());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cannotStart("the takeover is interrupted", "a running proxy that answers");
        }
        // The other process has closed it.
        openStorage(exchanges.current().configuration());
        from.receive(invalidationsOfOthers());
        adminPorts.beginAccepting();
        // Connections of clients wait in the queue of the kernel: their requests would be misses.
        storage.awaitIndex(INDEX_PATIENCE);
        clientPorts.beginAccepting();
        shared.metrics().handovers().ended(HandoverMetrics.Handover.TAKEN);
    }

    private PassedInvalidations invalidationsOfOthers() {
        return new PassedInvalidations(
                shared.invalidations(), url -> exchanges.current().keysOf(url), shared.time());
    }

    /** The fleet comes last: its invalidations follow those of the former process. */
    private void openStorage(Configuration configuration) {
        storage.open(configuration.disk());
        sharedStorage.open(configuration, loops, invalidationsOfOthers()::make, exchanges::current);
        sharedStorage.showTo(administration, () -> exchanges.current().configuration());
    }

    /** The proxy as another process takes over its sockets. */
    private final class Giver implements Handovers.Giver {
        @Override
        public List<ListeningSockets> sockets() {
            synchronized (Proxy.this) {
                var sockets = new ArrayList<>(adminPorts.sockets());
                sockets.addAll(clientPorts.sockets());
                return sockets;
            }
        }

        @Override
        public void stopListening(HandoverOffer.Successor successor) {
            synchronized (Proxy.this) {
                listener.stopListening();
                adminPorts.stopListening();
            }
            var log = new SuccessorLog(successor, shared.time(), sharedStorage::isMaking);
            storage.handOver(() -> shared.store().invalidations().logTo(log, () -> Long.MAX_VALUE));
        }

        @Override
        public void drain() {
            whenDrained.run();
        }
    }

    private static CannotStart cannotStart(String what, String expected) {
        return new CannotStart(List.of(new Problem(Optional.empty(), "", what, expected)));
    }

    /**
     * Serves {@code client}, a connection that was not accepted by the listener, on its own event
     * loop. Allows requests without sockets. Only a loop of the transport's kind can connect to an
     * origin; on any other loop only stored responses can be served.
     */
    public void serve(Channel client) {
        listener.accept(client, Scheme.HTTP);
    }

    /** Like {@link #serve(Channel)}, with {@code remote} as the client's address. */
    public void serve(Channel client, InetSocketAddress remote) {
        listener.accept(client, Scheme.HTTP, remote);
    }

    /** The proxy as its configurations use it. */
    private final class Running implements Generations.Running {
        @Override
        public Configuration configuration() {
            return exchanges.current().configuration();
        }

        @Override
        public void use(Configuration next, long number, boolean isReturn) throws CannotStart {
            replace(next, number, isReturn);
        }

        @Override
        public void reopenFiles() {
            accessLog.reopen();
            tls.check();
        }

        @Override
        public CurrentParts.Responses ofCurrent() {
            return exchanges.current().answered();
        }

        @Override
        public CurrentParts.Responses ofAll() {
            return exchanges.responses();
        }
    }

    /**
     * Reads the configuration again and uses it if it is valid; reopens the files of the logs in
     * any case, and loses no line. Thread-safe.
     */
    public void hangUp() {
        accessLog.reopen();
        if (generations.reload(ReloadTerms.NONE, false)
                instanceof ConfigurationActions.Outcome.Conflict conflict) {
            LOG.atWarn()
                    .addKeyValue("event", "configuration-refused")
                    .log("configuration: not read on SIGHUP, as {}", conflict.what());
        }
    }

    /** Runs {@code drain} when the admin API asks for the end of the process. */
    public void onDrain(Runnable drain) {
        whenDrained = drain;
    }

    @Override
    public List<ServerHealth> servers() {
        return origins.current().servers();
    }

    public AdminActions administration() {
        return administration;
    }

    @Override
    public void drainAndStop() {
        var configuration = exchanges.current().configuration();
        try {
            if (handovers.isGiven()) {
                listener.beginDraining();
                // The probes of connections accepted before concern the new process.
                TimeUnit.NANOSECONDS.sleep(LAST_PROBES.toNanos());
                administration.ready(false);
                adminPorts.drain();
            } else {
                administration.ready(false);
                TimeUnit.NANOSECONDS.sleep(configuration.drain().grace().toNanos());
                // A new process can start while the last connections of this one run out.
                listener.beginDraining();
                adminPorts.stopListening();
            }
            listener.drain(configuration.drain().timeout());
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        close();
    }

    /** Stops immediately, without draining. */
    @Override
    public void close() {
        administration.ready(false);
        handovers.close();
        listener.close();
        exchanges.close();
        sharedStorage.close();
        if (ownsLoops) {
            loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
        adminPorts.close();
        shared.invalidations().sweeper().close();
        generations.close();
        tls.close();
        storage.close();
        shared.tiers().disk().close();
        shared.store().close();
        accessLog.close();
    }

    /** Returns copies of all stored responses with all their forms. Slow: not for event loops. */
    public List<StoredEntry> stored() {
        var entries = new ArrayList<StoredEntry>();
        shared.store().forEach(response -> entries.add(StoredEntry.of(response)));
        return entries;
    }

    /**
     * The number of in-flight fetches whose responses may be stored, including background
     * refreshes. Thread-safe.
     */
    public int openFetches() {
        return shared.store().invalidations().openFetches();
    }

    /** Returns why a proxy with {@code current} cannot continue with {@code next}, if so. */
    static List<Problem> obstacles(Configuration current, Configuration next) {
        var problems = new ArrayList<>(current.disk().changesThatNeedRestart(next.disk()));
        boolean hasLog = current.fleet().isOn() && next.fleet().isOn();
        problems.addAll(current.shared().changesThatNeedRestart(next.shared(), hasLog));
        problems.addAll(
                current.fleet().changesThatNeedRestart(next.fleet(), current.shared().isOn()));
        lackOfMemory(next).ifPresent(problems::add);
        return problems;
    }

    /** Returns why the JVM's memory does not suffice for {@code configuration}, or nothing. */
    static Optional<Problem> lackOfMemory(Configuration configuration) {
        return configuration.lackOfMemory(PlatformDependent.maxDirectMemory());
    }

    private static void warnOfSmallHeap(Configuration configuration) {
        long memory = configuration.cache().memoryBytes();
        long needed = memory + configuration.transitBytes();
        long heap = Runtime.getRuntime().maxMemory();
        if (memory > 0 && heap < needed) {
            LOG.atWarn()
                    .addKeyValue("event", "small-heap")
                    .log(
                            "cache.memory of {} B may not fit into the heap of {} B: small responses are"
                                    + " stored mostly in the heap (expected -Xmx{} or more)",
                            memory,
                            heap,
                            needed);
        }
    }
}
