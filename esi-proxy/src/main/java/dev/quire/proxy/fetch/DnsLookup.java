package dev.quire.proxy.fetch;

import dev.quire.proxy.exchange.PlainWords;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.HostsFileEntriesResolver;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DefaultDnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsCnameCache;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverChannelStrategy;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.UnixResolverDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Looks up one name at the name servers of {@code /etc/resolv.conf}, and in {@code /etc/hosts}.
 * Does not cache. If no name server is configured none is queried: Netty would fall back to public
 * servers, and so disclose the names of origins. At most one query at a time, each on a socket of
 * its own on the first loop that calls it.
 */
final class DnsLookup implements NamedAddresses.Lookup {
    // A second name server must get its turn before the connect timeout.
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    // Entries of the hosts file have no TTL.
    private static final Duration UNSAID = Duration.ofSeconds(30);
    private static final File RESOLV_CONF = new File("/etc/resolv.conf");

    /** The source of the configured name servers. */
    private interface NameServers {
        /** Returns null if none is configured. */
        @Nullable DnsServerAddressStreamProvider named();
    }

    private final String host;
    private final Class<? extends SocketChannel> channels;
    private final Class<? extends DatagramChannel> datagrams;
    private final NameServers servers;
    private final Lifetime lifetime = new Lifetime();
    // Guarded by this.
    private @Nullable DnsNameResolver resolver;
    private boolean isClosed;

    DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams) {
        this(host, channels, datagrams, RESOLV_CONF);
    }

    DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams,
            File resolvConf) {
        this(host, channels, datagrams, () -> namedBy(resolvConf));
    }

    DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams,
            DnsServerAddressStreamProvider servers) {
        this(host, channels, datagrams, () -> servers);
    }

    private DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams,
            NameServers servers) {
        this.host = host;
        this.channels = channels;
        this.datagrams = datagrams;
        this.servers = servers;
    }

    @Override
    public void ask(EventLoop loop, Result result) {
        @Nullable DnsNameResolver asking;
        boolean isOver;
        synchronized (this) {
            asking = resolver(loop);
            isOver = isClosed;
        }
        if (asking == null) {
            if (isOver) {
                result.notFound("the proxy is shutting down");
            } else {
                withoutServers(result);
            }
            return;
        }
        lifetime.begin();
        asking.resolveAll(host)
                .addListener((Future<List<InetAddress>> done) -> {
                    if (!done.isSuccess()) {
                        result.notFound(PlainWords.of(done.cause()));
                    } else if (done.getNow().isEmpty()) {
                        result.notFound("no address found");
                    } else {
                        result.found(done.getNow(), lifetime.shortest());
                    }
                });
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (resolver != null) {
            resolver.close();
            resolver = null;
        }
    }

    private @Nullable DnsNameResolver resolver(EventLoop loop) {
        if (resolver == null && !isClosed) {
            // Read again until there are some: a machine may start without a network.
            var named = servers.named();
            if (named != null) {
                resolver =
                        new DnsNameResolverBuilder(loop)
                                .datagramChannelType(datagrams)
                                .socketChannelType(channels)
                                // Else a socket that cannot be opened is never opened again.
                                .datagramChannelStrategy(
                                        DnsNameResolverChannelStrategy.ChannelPerResolution)
                                .nameServerProvider(named)
                                .queryTimeoutMillis(PATIENCE.toMillis())
                                .resolveCache(lifetime)
                                .cnameCache(lifetime.ofNames)
                                .build();
            }
        }
        return resolver;
    }

    private void withoutServers(Result result) {
        var address =
                HostsFileEntriesResolver.DEFAULT.address(host, ResolvedAddressTypes.IPV4_PREFERRED);
        if (address == null) {
            result.notFound("not in the hosts file, and /etc/resolv.conf lists no name server");
        } else {
            result.found(List.of(address), UNSAID);
        }
    }

    private static @Nullable DnsServerAddressStreamProvider namedBy(File resolvConf) {
        try {
            return new UnixResolverDnsServerAddressStreamProvider(resolvConf);
        } catch (IOException | IllegalArgumentException none) {
            return null;
        }
    }

    /** Stores nothing; records the shortest TTL among the records received, CNAMEs included. */
    private static final class Lifetime extends DefaultDnsCache {
        private static final long NONE = Long.MAX_VALUE;

        private final AtomicLong seconds = new AtomicLong(NONE);

        private final DnsCnameCache ofNames =
                new DnsCnameCache() {
                    @Override
                    public @Nullable String get(String hostname) {
                        return null;
                    }

                    @Override
                    public void cache(
                            String hostname, String cname, long originalTtl, EventLoop loop) {
                        said(originalTtl);
                    }

                    @Override
                    public void clear() {}

                    @Override
                    public boolean clear(String hostname) {
                        return false;
                    }
                };

        Lifetime() {
            super(0, 0, 0);
        }

        void begin() {
            seconds.set(NONE);
        }

        Duration shortest() {
            long shortest = seconds.get();
            return shortest == NONE ? UNSAID : Duration.ofSeconds(shortest);
        }

        private void said(long ttl) {
            seconds.accumulateAndGet(ttl, Math::min);
        }

        @Override
        public DnsCacheEntry cache(
                String hostname,
                DnsRecord[] additionals,
                InetAddress address,
                long originalTtl,
                EventLoop loop) {
            said(originalTtl);
            return super.cache(hostname, additionals, address, originalTtl, loop);
        }
    }
}
