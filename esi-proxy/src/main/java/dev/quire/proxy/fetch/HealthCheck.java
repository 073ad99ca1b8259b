package dev.quire.proxy.fetch;

import dev.quire.core.http.DurationText;
import dev.quire.proxy.exchange.Connects;
import dev.quire.proxy.exchange.PlainWords;
import dev.quire.proxy.route.OriginSettings;
import dev.quire.proxy.tls.HandshakeFault;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks one server periodically, each time on a new connection. A 2xx or 3xx response is a
 * success. The server is healthy or unhealthy once the threshold of successes or failures among the
 * last checks is reached. Confined to its loop, except for {@link #stop}.
 */
final class HealthCheck {
    private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);
    // Proxies started at the same time must not check at the same time.
    private static final double JITTER = 0.2;

    /** Receives the first result and every change of it. */
    interface Findings {
        /**
         * The first check has ended.
         *
         * @param fault null if it succeeded
         */
        void first(@Nullable String fault);

        void healthy();

        void unhealthy(String why);
    }

    private enum Status {
        UNKNOWN,
        HEALTHY,
        UNHEALTHY
    }

    private final OriginSettings.Health health;
    private final String path;
    private final Optional<String> host;
    private final ServerSockets sockets;
    private final OriginSettings.Url url;
    private final EventLoop loop;
    private final Findings findings;
    // The last checks, the newest in the lowest bit; set if the check succeeded.
    private long succeeded;
    private int checks;
    private Status lastStatus = Status.UNKNOWN;
    private @Nullable ScheduledFuture<?> next;
    private @Nullable Attempt current;
    private volatile boolean isStopped;

    HealthCheck(
            OriginSettings origin,
            String path,
            ServerSockets sockets,
            EventLoop loop,
            Findings findings) {
        this.health = origin.health();
        this.path = path;
        this.host = origin.host();
        this.sockets = sockets;
        this.url = sockets.url();
        this.loop = loop;
        this.findings = findings;
    }

    /** Runs a check now and schedules the next one. */
    void start() {
        if (isStopped) {
            return;
        }
        // Scheduled first, so that a failure of this check cannot stop the checks.
        double factor = 1 + JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
        long delay = (long) (health.interval().toNanos() * factor);
        next = loop.schedule(this::start, delay, TimeUnit.NANOSECONDS);
        var before = current;
        if (before != null) {
            before.end("no response before the next check");
        }
        var attempt = new Attempt();
        current = attempt;
        try {
            attempt.start();
        } catch (RuntimeException | Error bug) {
            attempt.end(bug.toString());
            LOG.atError()
                    .addKeyValue("event", "internal-error")
                    .addKeyValue("server", url.url())
                    .setCause(bug)
                    .log("health check of {} failed", url.url());
        }
    }

    /** Stops the checks. Thread-safe. */
    void stop() {
        isStopped = true;
        try {
            loop.execute(() -> {
                if (next != null) {
                    next.cancel(false);
                }
                if (current != null) {
                    current.end("stopped");
                }
            });
        } catch (RejectedExecutionException e) {
            // The loop has terminated, and the checks with it.
            return;
        }
    }

    private void record(@Nullable String fault) {
        if (isStopped) {
            return;
        }
        if (checks == 0) {
            findings.first(fault);
        }
        succeeded = succeeded << 1 | (fault == null ? 1 : 0);
        checks = Math.min(checks + 1, health.window());
        int good = Long.bitCount(succeeded & ((1L << checks) - 1));
        if (fault == null && good >= health.threshold() && lastStatus != Status.HEALTHY) {
            lastStatus = Status.HEALTHY;
            findings.healthy();
        } else if (fault != null
                && checks - good >= health.threshold()
                && lastStatus != Status.UNHEALTHY) {
            lastStatus = Status.UNHEALTHY;
            findings.unhealthy(
                    (checks - good)
                            + " of the last "
                            + checks
                            + " health checks of "
                            + path
                            + " failed: "
                            + fault);
        }
    }

    private final class Attempt extends ChannelInboundHandlerAdapter implements Addresses.Answer {
        private final ScheduledFuture<?> timer =
                loop.schedule(
                        () -> end("no response within " + DurationText.of(health.timeout())),
                        health.timeout().toNanos(),
                        TimeUnit.NANOSECONDS);
        private @Nullable Channel channel;
        private boolean isOver;

        void start() {
            sockets.addresses().find(loop, this);
        }

        @Override
        public void found(List<SocketAddress> found) {
            if (isOver) {
                return;
            }
            var connecting =
                    new Bootstrap()
                            .group(loop)
                            .channelFactory(sockets.channels())
                            .disableResolver()
                            .handler(
                                    new ChannelInitializer<>() {
                                        @Override
                                        protected void initChannel(Channel opened) {
                                            sockets.secure(opened);
                                            var decoder = new ResponseDecoder();
                                            decoder.expect(false);
                                            opened.pipeline()
                                                    .addLast(
                                                            decoder,
                                                            new HttpRequestEncoder(),
                                                            Attempt.this);
                                        }
                                    })
                            .connect(found.getFirst());
            channel = connecting.channel();
            Connects.whenEnded(
                    connecting,
                    loop,
                    () -> {
                        if (!connecting.isSuccess()) {
                            sockets.addresses().failed(found.getFirst(), loop.ticker().nanoTime());
                            end("cannot connect: " + PlainWords.of(connecting.cause()));
                        }
                    });
        }

        @Override
        public void notFound(String detail) {
            end(detail);
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            var request =
                    new DefaultFullHttpRequest(
                            HttpVersion.HTTP_1_1, HttpMethod.GET, path, ctx.alloc().buffer(0, 0));
            request.headers()
                    .set(HttpHeaderNames.HOST, host.orElseGet(url::authority))
                    .set(HttpHeaderNames.USER_AGENT, "quire-health")
                    .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            ctx.writeAndFlush(request);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            try {
                if (message instanceof HttpResponse response) {
                    answered(response);
                }
            } finally {
                ReferenceCountUtil.release(message);
            }
        }

        private void answered(HttpResponse response) {
            int status = response.status().code();
            if (response.decoderResult().isFailure()) {
                end("malformed response: " + PlainWords.of(response.decoderResult().cause()));
            } else if (status >= 400) {
                end("status " + status);
            } else if (status >= 200) {
                end(null);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end("the server closed the connection before a response");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end(
                    cause instanceof SSLException || cause.getCause() instanceof SSLException
                            ? "TLS handshake failed: " + HandshakeFault.words(cause)
                            : cause.toString());
        }

        /** Ends the check; {@code fault} is null if it succeeded. */
        private void end(@Nullable String fault) {
            if (isOver) {
                return;
            }
            isOver = true;
            current = null;
            timer.cancel(false);
            if (channel != null) {
                Connects.close(channel);
            }
            record(fault);
        }
    }
}
