package dev.quire.core.assemble;

import dev.quire.core.assemble.Assembly.Part;
import dev.quire.core.assemble.Assembly.Way;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.Freshness;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is noted of one page while somebody observes, by whoever assembles it. Confined to the
 * thread that does.
 */
public final class AssemblyNotes {
    private static final int NOT_MODIFIED = 304;
    private static final Failure OVER =
            new Failure(
                    Failure.Side.CLIENT, Failure.Kind.CANCELLED, "ended before a response arrived");

    private final LongSupplier nanos;
    private final long begunNanos;

    /** In the order they were asked for; null as long as one has neither come nor failed. */
    private final List<@Nullable Part> fragments = new ArrayList<>();

    private @Nullable Part page;
    private Way decided = Way.PASS;

    /**
     * The page is asked for.
     *
     * @param nanos the clock by which parts begin and end
     */
    public AssemblyNotes(LongSupplier nanos) {
        this.nanos = nanos;
        this.begunNanos = nanos.getAsLong();
    }

    /** The way that {@code decision} leads, as far as it can be told before an answer comes. */
    public static Way way(CacheDecision<?> decision) {
        return switch (decision) {
            case CacheDecision.Hit<?> hit -> Way.HIT;
            case CacheDecision.StaleHit<?> stale -> Way.STALE;
            case CacheDecision.Revalidate<?> old -> Way.REVALIDATED;
            case CacheDecision.Miss<?> miss -> Way.MISS;
            case CacheDecision.Pass<?> pass -> Way.PASS;
            case CacheDecision.Decline<?> decline -> Way.MISS;
        };
    }

    /**
     * The way it came.
     *
     * @param decided what was decided
     * @param isKept whether the answer may serve others
     * @param originStatus of what the origin answered to that; 0 if it was not asked
     */
    public static Way way(Way decided, boolean isKept, int originStatus) {
        return switch (decided) {
            case HIT, STALE, FAILED -> decided;
            case REVALIDATED, MISS, PASS -> {
                if (!isKept) {
                    yield Way.PASS;
                }
                yield decided == Way.REVALIDATED && originStatus == NOT_MODIFIED
                        ? Way.REVALIDATED
                        : Way.MISS;
            }
        };
    }

    /** The present, by which parts begin and end. */
    public long now() {
        return nanos.getAsLong();
    }

    /** The way to the page's own document, as far as it can be told before an answer comes. */
    public void decided(Way way) {
        decided = way;
    }

    /**
     * The page's own document has come.
     *
     * @param originStatus of what its origin answered; 0 if it was not asked
     * @param freshness empty if it is not kept
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

    /** There is no page. */
    public void pageFailed(CacheKey key, int status, Failure failure) {
        page = failed(key, null, 0, status, failure, begunNanos);
    }

    /** A fragment is asked for; the number by which it will be known. */
    public int asked() {
        fragments.add(null);
        return fragments.size() - 1;
    }

    /**
     * Where a fragment belongs.
     *
     * @param number of the fragment, see {@link #asked}
     * @param parent the document that includes it
     * @param depth how many documents it is below the page
     * @param beganNanos when it was asked for
     */
    public record Place(int number, CacheKey parent, int depth, long beganNanos) {}

    /** A fragment is asked for now. */
    public Place place(CacheKey parent, int depth) {
        return new Place(asked(), parent, depth, now());
    }

    /** The fragment at {@code place} has come. */
    public void fragment(
            Place place,
            CacheKey key,
            Way way,
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
     * The fragment at {@code place} will not come.
     *
     * @param key null if its reference may not be followed
     */
    public void fragmentFailed(Place place, @Nullable CacheKey key, int status, Failure failure) {
        fragments.set(
                place.number(),
                failed(key, place.parent(), place.depth(), status, failure, place.beganNanos()));
    }

    /** All of it, once the exchange is over. */
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
                Way.FAILED,
                status,
                failure,
                Fields.EMPTY,
                Optional.empty(),
                beganNanos,
                nanos.getAsLong());
    }
}
