package dev.quire.bench.replay;

import dev.quire.bench.MeasuredCache;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.RequestHead;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.cache.PageStore;
import dev.quire.proxy.config.CacheConfig.Admission;
import dev.quire.proxy.exchange.Time;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The store alone under the requests of a workload. Responses are stored as in the proxy. */
final class StoreRun implements AutoCloseable {
    /** Work is split into tasks, so that the loop can run its own in between. */
    private static final int REQUESTS_A_TASK = 1_000;

    private static final String AUTHORITY = "www.news.example";
    private static final Time CLOCK = Time.system();

    private final Workload workload;
    private final Site site;
    private final byte[] body;
    private final MeasuredCache cache;
    private final EventLoop loop = new DefaultEventLoop();

    /**
     * @param body has the bytes of all bodies
     */
    StoreRun(Workload workload, Site site, byte[] body, Admission admission) {
        this.workload = workload;
        this.site = site;
        this.body = body;
        this.cache = new MeasuredCache(workload.memoryBytes(), admission == Admission.SIZE, CLOCK);
    }

    PageStore store() {
        return cache.store();
    }

    /** Makes all requests; returns the rates. */
    HitRate run() throws InterruptedException {
        var rate = workload.rate();
        var asked = workload.sequence(site);
        try {
            for (long done = 0; done < workload.requests(); done += REQUESTS_A_TASK) {
                long count = Math.min(REQUESTS_A_TASK, workload.requests() - done);
                loop.submit(() -> ask(asked, count, rate)).get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a request failed", e);
        }
        return rate;
    }

    private void ask(Requests asked, long count, HitRate rate) {
        for (long i = 0; i < count; i++) {
            int url = asked.next();
            rate.count(ask(url), site.length(url));
        }
    }

    /** Stores the response if it is a miss; returns whether it is a hit. */
    private boolean ask(int url) {
        var request =
                new RequestHead(
                        "GET",
                        Scheme.HTTP,
                        AUTHORITY,
                        "/news/" + url % 37 + "/article-" + url + ".html",
                        Fields.EMPTY);
        var key = CacheKey.of(request);
        cache.store().requested(key);
        var found = cache.store().find(key, SentRequest.of(request)::isSelectedBy);
        if (found != null) {
            found.release();
            return true;
        }
        int length = site.length(url);
        cache.fetch(loop, request, head(url, length), Unpooled.wrappedBuffer(body, 0, length));
        return false;
    }

    /** Returns a head as an application server sends it. */
    private static Fields head(int url, int length) {
        return Fields.of(
                "Content-Type",
                "text/html;charset=UTF-8",
                "Content-Length",
                Integer.toString(length),
                "Cache-Control",
                "max-age=86400, public",
                "Date",
                HttpDate.format(CLOCK.wall()),
                "ETag",
                "\"" + Integer.toHexString(url * 0x9e3779b9) + '-' + length + '"',
                "Last-Modified",
                "Fri, 20 Nov 2026 10:00:00 GMT",
                "Vary",
                "Accept-Encoding",
                "X-Request-Id",
                "8f14e45fceea" + (10_000_000 + url));
    }

    /** Drops all responses. */
    @Override
    public void close() {
        cache.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
