package dev.quire.test.spring;

import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import dev.quire.spring.invalidate.SurrogateAnswer;
import dev.quire.spring.invalidate.SurrogateClient;
import dev.quire.test.EsiSite;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.assertj.core.api.AssertProvider;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The surrogate client of an application under test: it records the invalidations, and applies them
 * to the open sites of the application. A bean of tests annotated {@link AutoConfigureEsi}; empty
 * at the start of each test. Supported by AssertJ's {@code assertThat(invalidations)}. A URL
 * matches by its path on any host. Thread-safe.
 */
public final class RecordingSurrogateClient
        implements SurrogateClient, AssertProvider<InvalidationsAssert> {
    private static final long PATIENCE_SECONDS = 20;

    private final ObjectProvider<EsiInvalidator> invalidator;
    private final List<Invalidation> told = new CopyOnWriteArrayList<>();
    private final List<EsiSite> sites = new CopyOnWriteArrayList<>();

    RecordingSurrogateClient(ObjectProvider<EsiInvalidator> invalidator) {
        this.invalidator = invalidator;
    }

    /**
     * The invalidations in order, when none is being delivered any more.
     *
     * @throws AssertionError if a delivery does not end
     */
    public List<Invalidation> invalidations() {
        awaitDelivery();
        return List.copyOf(told);
    }

    public void forget() {
        awaitDelivery();
        told.clear();
    }

    void connect(EsiSite site) {
        sites.add(site);
    }

    void disconnect(EsiSite site) {
        sites.remove(site);
    }

    /**
     * Waits for deliveries in progress. Uses another thread, because on this one the pending
     * invalidations of an open transaction would be sent.
     */
    private void awaitDelivery() {
        var sender = invalidator.getIfUnique();
        if (sender == null) {
            return;
        }
        Supplier<CompletableFuture<?>> flush = () -> sender.flush().toCompletableFuture();
        try {
            CompletableFuture.supplyAsync(flush, Thread.ofVirtual()::start)
                    .thenCompose(delivered -> delivered)
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    "an invalidation is still on its way after %d seconds (does another SurrogateClient of the application not answer?)"
                            .formatted(PATIENCE_SECONDS),
                    e);
        } catch (ExecutionException e) {
            throw new AssertionError("invalidations cannot be delivered", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for invalidations", e);
        }
    }

    @Override
    public String product() {
        return "test";
    }

    @Override
    public String name() {
        return "the site under test";
    }

    /** Stale marking is not supported: responses are removed, as by surrogates without it. */
    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.TAGS, Capability.URLS);
    }

    @Override
    public SurrogateAnswer send(Invalidation invalidation) {
        told.add(invalidation);
        for (var site : sites) {
            if (!invalidation.tags().isEmpty()) {
                site.purgeTags(invalidation.tags().toArray(String[]::new));
            }
            if (!invalidation.urls().isEmpty()) {
                site.purge(
                        invalidation.urls().stream()
                                .map(RecordingSurrogateClient::target)
                                .toArray(String[]::new));
            }
        }
        return new SurrogateAnswer.Done();
    }

    @Override
    public SurrogateAnswer reach() {
        return new SurrogateAnswer.Done();
    }

    static String target(URI url) {
        var path = url.getRawPath();
        var query = url.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    @Override
    public InvalidationsAssert assertThat() {
        return new InvalidationsAssert(this);
    }
}
