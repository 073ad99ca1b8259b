package dev.quire.proxy.memcached;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.quire.proxy.cache.RecordHash;
import dev.quire.proxy.store.StoreServer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The servers of the store. Each key has one home among them, by rendezvous hashing: if a server is
 * away, the keys of the others stay where they are, and its own are on none. Thread-safe.
 */
public final class MetaServers implements AutoCloseable {
    private final List<Home> homes;
    private final MemcachedSettings settings;

    /** A server and the hash of its address. */
    private record Home(StoreServer<MetaConnection> server, long seed) {}

    /**
     * Begins to connect.
     *
     * @param loops owned by the caller, and to be shut down after this
     * @param transport of the loops
     */
    public MetaServers(
            MemcachedSettings settings,
            Collection<EventLoop> loops,
            Class<? extends SocketChannel> transport) {
        this.settings = settings;
        var all = new ArrayList<Home>();
        var limits =
                settings.limits().share(settings.servers().size(), settings.records().maxBytes());
        for (var address : settings.servers()) {
            var server =
                    new StoreServer<>(
                            loops, new MetaProtocol(settings, address, transport), limits);
            all.add(new Home(server, hash(address.toString())));
        }
        this.homes = List.copyOf(all);
    }

    MemcachedSettings settings() {
        return settings;
    }

    private static long hash(String text) {
        try {
            var sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(US_ASCII));
            return ByteBuffer.wrap(sum).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** The home of all keys of {@code resource}. */
    StoreServer<MetaConnection> of(RecordHash resource) {
        return of(resource.high());
    }

    /** The home of {@code key}. */
    StoreServer<MetaConnection> of(String key) {
        return of(hash(key));
    }

    private StoreServer<MetaConnection> of(long key) {
        return homes.size() == 1
                ? homes.getFirst().server()
                : homes.stream()
                        .max(Comparator.comparingLong(home -> mixed(home.seed() ^ key)))
                        .orElseThrow()
                        .server();
    }

    /** The last steps of MurmurHash3, which spread each bit over all. */
    private static long mixed(long number) {
        long mixed = number;
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    /** Whether one of them is used at present. */
    boolean isUsable() {
        for (var home : homes) {
            if (home.server().isUsable()) {
                return true;
            }
        }
        return false;
    }

    /** That of the server that works least: 0 if it is used, 1 if it is tried, 2 if neither. */
    public int state() {
        return homes.stream().mapToInt(home -> home.server().state()).max().orElse(2);
    }

    /** Why one of them does not work, or what failed last; or nothing. */
    public Optional<String> failure() {
        return homes.stream().flatMap(home -> home.server().failure().stream()).findFirst();
    }

    /** The number of connections that are open now. */
    public int connections() {
        return homes.stream().mapToInt(home -> home.server().connected()).sum();
    }

    /** The calls that wait for a server. */
    public int waiting() {
        return homes.stream().mapToInt(home -> home.server().queue().waiting()).sum();
    }

    /** Closes all connections. */
    @Override
    public void close() {
        homes.forEach(home -> home.server().close());
    }
}
