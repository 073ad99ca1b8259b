package dev.quire.core.assemble;

import dev.quire.core.assemble.Assembly.CacheOutcome;
import dev.quire.core.assemble.Assembly.Part;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Records the parts of one page for an {@link AssemblyObserver}. Confined to one thread. */
public final class AssemblyNotes {
    private static final int NOT_MODIFIED = 304;
    private static final Failure OVER =
            new Failure(
                    Failure.Side.CLIENT, Failure.Kind.CANCELLED, "ended before a response arrived");

    private final LongSupplier nanos;
    private final long begunNanos;

    /** In the order they were requested; null until one has arrived or failed. */
    private final List<@Nullable Part> fragments = new ArrayList<>();

    private @Nullable Part page;
    private CacheOutcome decided = CacheOutcome.PASS;

    /**
     * Starts with the request for the page.
     *
     * @param nanos the clock for the times of parts
     */
    public AssemblyNotes(LongSupplier nanos) {
        this.nanos = nanos;
        this.begunNanos = nanos.getAsLong();
    }

    /** Returns the expected way for {@code decision}, before a response arrives. */
    public static CacheOutcome way(CacheDecision<?> decision) {
        return switch (decision) {
            case CacheDecision.Hit<?> hit -> CacheOutcome.HIT;
            case CacheDecision.StaleHit<?> stale -> CacheOutcome.STALE;
            case CacheDecision.Revalidate<?> old -> CacheOutcome.REVALIDATED;
            case CacheDecision.Miss<?> miss -> CacheOutcome.MISS;
            case CacheDecision.Pass<?> pass -> CacheOutcome.PASS;
            case CacheDecision.Decline<?> decline -> CacheOutcome.MISS;
        };
    }

    /**
     * Returns the actual way.
     *
     * @param decided the expected way
     * @param isKept whether the response may be served to other clients
     * @param originStatus of the origin's response; 0 if it was not asked
     */
    public static CacheOutcome way(CacheOutcome decided, boolean isKept, int originStatus) {
        return switch (decided) {
            case HIT, STALE, FAILED -> decided;
            case REVALIDATED, MISS, PASS -> {
                if (!isKept) {
                    yield CacheOutcome.PASS;
                }
                yield decided == CacheOutcome.REVALIDATED && originStatus == NOT_MODIFIED
                        ? CacheOutcome.REVALIDATED
                        : CacheOutcome.MISS;
            }
        };
    }

    /** Returns the current time of the clock for parts. */
    public long now() {
        return nanos.getAsLong();
    }

    /** Sets the expected way of the page's own document, before a response arrives. */
    public void decided(CacheOutcome way) {
        decided = way;
    }

    /**
     * Records the page's own document.
     *
     * @param originStatus of its origin's response; 0 if it was not asked
     * @param freshness empty if it is not stored
     */
    public void page(
            CacheKey key,
            int originStatus,
            int status,
            Fields fields,
            Optional<Freshness> freshness) {
        page =
                new Part(
                        key,
                        null,
                        0,
                        way(decided, freshness.isPresent(), originStatus),
                        status,
                        null,
                        fields,
                        freshness,
                        begunNanos,
                        nanos.getAsLong());
    }

    public void pageFailed(CacheKey key, int status, Failure failure) {
        page = failed(key, null, 0, status, failure, begunNanos);
    }

    /** Adds a requested fragment and returns its number. */
    public int asked() {
        fragments.add(null);
        return fragments.size() - 1;
    }

    /**
     * The place of a fragment in the page.
     *
     * @param number of the fragment, see {@link #asked}
     * @param parent the document that includes it
     * @param depth levels below the page
     * @param beganNanos when it was requested
     */
    public record Place(int number, CacheKey parent, int depth, long beganNanos) {}

    /** Adds a fragment that is requested now. */
    public Place place(CacheKey parent, int depth) {
        return new Place(asked(), parent, depth, now());
    }

    public void fragment(
            Place place,
            CacheKey key,
            CacheOutcome way,
            int status,
            Fields fields,
            Optional<Freshness> freshness) {
        fragments.set(
                place.number(),
                new Part(
                        key,
                        place.parent(),
                        place.depth(),
                        way,
                        status,
                        null,
                        fields,
                        freshness,
                        place.beganNanos(),
                        nanos.getAsLong()));
    }

    /**
     * Records that the fragment at {@code place} failed.
     *
     * @param key null if its reference must not be followed
     */
    public void fragmentFailed(Place place, @Nullable CacheKey key, int status, Failure failure) {
        fragments.set(
                place.number(),
                failed(key, place.parent(), place.depth(), status, failure, place.beganNanos()));
    }

    /** Returns all parts, after the exchange has ended. */
    public Assembly assembly(CacheKey key, int readerPort) {
        var all = new ArrayList<Part>();
        all.add(page == null ? failed(key, null, 0, 0, OVER, begunNanos) : page);
        for (var fragment : fragments) {
            if (fragment != null) {
                all.add(fragment);
            }
        }
        return new Assembly(readerPort, all);
    }

    private Part failed(
            @Nullable CacheKey key,
            @Nullable CacheKey parent,
            int depth,
            int status,
            Failure failure,
            long beganNanos) {
        return new Part(
                key,
                parent,
                depth,
                CacheOutcome.FAILED,
                status,
                failure,
                Fields.EMPTY,
                Optional.empty(),
                beganNanos,
                nanos.getAsLong());
    }
}
