package dev.quire.proxy.admin;

import dev.quire.core.policy.CacheKey;
import java.util.List;

/** What the admin port can ask of the proxy. Called on virtual threads, so it may wait. */
public interface AdminActions {

    /** Whether requests are welcome: not while starting or draining. */
    boolean isReady();

    /** All metrics as Prometheus text. */
    String metrics();

    /** Invalidates; once it returns no request is answered with what it met. */
    PurgeReport purge(PurgeRequest request);

    /** The proxy's state in numbers. */
    Stats stats();

    /** What is stored under {@code key}; empty if nothing is. */
    List<StoredVariant> stored(CacheKey key);
}
