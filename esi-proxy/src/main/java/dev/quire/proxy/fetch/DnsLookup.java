package dev.quire.proxy.fetch;

import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.dns.DefaultDnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsCnameCache;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.DnsServerAddressStreamProviders;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Asks the name servers of this machine for one name, as {@code /etc/resolv.conf} and {@code
 * /etc/hosts} say, and keeps nothing itself. One question at a time. Its socket belongs to the loop
 * that asks first.
 */
final class DnsLookup implements NamedAddresses.Lookup {
    // A second server must have its turn before connecting takes too long.
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    // What stands in the hosts file says nothing of how long it is good for.
    private static final Duration UNSAID = Duration.ofSeconds(30);

    private final String host;
    private final Class<? extends SocketChannel> channels;
    private final Class<? extends DatagramChannel> datagrams;
    private final DnsServerAddressStreamProvider servers;
    private final Lifetime lifetime = new Lifetime();
    // Guarded by this.
    private @Nullable DnsNameResolver resolver;
    private boolean isClosed;

    DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams) {
        this(host, channels, datagrams, DnsServerAddressStreamProviders.platformDefault());
    }

    DnsLookup(
            String host,
            Class<? extends SocketChannel> channels,
            Class<? extends DatagramChannel> datagrams,
            DnsServerAddressStreamProvider servers) {
        this.host = host;
        this.channels = channels;
        this.datagrams = datagrams;
        this.servers = servers;
    }

    @Override
    public void ask(EventLoop loop, Result result) {
        var asking = resolver(loop);
        if (asking == null) {
            result.notFound("the proxy stops");
            return;
        }
        lifetime.begin();
        asking.resolveAll(host)
                .addListener((Future<List<InetAddress>> done) -> {
                    if (!done.isSuccess()) {
                        result.notFound(String.valueOf(done.cause().getMessage()));
                    } else if (done.getNow().isEmpty()) {
                        result.notFound("it has no address");
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

    private synchronized @Nullable DnsNameResolver resolver(EventLoop loop) {
        if (resolver == null && !isClosed) {
            resolver =
                    new DnsNameResolverBuilder(loop)
                            .datagramChannelType(datagrams)
                            .socketChannelType(channels)
                            .nameServerProvider(servers)
                            .queryTimeoutMillis(PATIENCE.toMillis())
                            .resolveCache(lifetime)
                            .cnameCache(lifetime.ofNames)
                            .build();
        }
        return resolver;
    }

    /** Stores nothing; takes down how long what comes in is good for, names on the way included. */
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
