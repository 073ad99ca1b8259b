package dev.quire.proxy.path;

import dev.quire.core.assemble.Assembly;
import dev.quire.core.assemble.AssemblyNotes;
import dev.quire.core.assemble.Failure;
import dev.quire.core.http.Fields;
import dev.quire.core.policy.CacheDecision;
import dev.quire.core.policy.Freshness;
import dev.quire.proxy.cache.FetchSubscription;
import dev.quire.proxy.cache.StoredResponse;
import dev.quire.proxy.exchange.TierSearch;
import dev.quire.proxy.metrics.Metrics.FragmentOutcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records how one fragment was handled, in metrics, in the trace of its page and for the observer.
 */
final class FragmentRecord {
    private final Lookup asked;
    private final Pages.Fragments page;
    private final long startedNanos;

    /** Its number among the observed fragments of its page. */
    private final int number;

    private Assembly.CacheOutcome way = Assembly.CacheOutcome.MISS;

    /** The last search of the tier below the memory, for the last lookup. */
    private @Nullable TierSearch search;

    /**
     * @param asked the fragment as included
     */
    FragmentRecord(Lookup asked, Pages.Fragments page) {
        this.asked = asked;
        this.page = page;
        this.startedNanos = page.now();
        var notes = page.notes();
        this.number = notes == null ? 0 : notes.asked();
    }

    /**
     * @param before the search of the tier below the memory; null if it was not needed
     */
    void decided(CacheDecision<StoredResponse> decision, @Nullable TierSearch before) {
        way = AssemblyNotes.way(decision);
        search = before;
    }

    /** Records that a stale response is used because the origin failed. */
    void stale() {
        way = Assembly.CacheOutcome.STALE;
    }

    /**
     * Records that the fragment is complete.
     *
     * @param freshness empty if it is private
     * @param subscription null if it did not wait for a fetch
     */
    void succeeded(
            int status,
            Fields fields,
            Optional<Freshness> freshness,
            @Nullable FetchSubscription subscription) {
        var notes = page.notes();
        var inclusion = asked.inclusion();
        if (notes != null && inclusion != null) {
            notes.fragment(
                    place(inclusion),
                    asked.key(),
                    AssemblyNotes.way(
                            way,
                            freshness.isPresent(),
                            subscription == null ? 0 : subscription.originStatus()),
                    status,
                    fields,
                    freshness);
        }
        var outcome =
                switch (way) {
                    case HIT -> FragmentOutcome.HIT;
                    case STALE -> FragmentOutcome.STALE;
                    case PASS -> FragmentOutcome.PASS;
                    case REVALIDATED, MISS, FAILED -> FragmentOutcome.MISS;
                };
        page.fetched(asked, outcome, startedNanos, status, null, search);
    }

    /**
     * Records that the fragment failed or broke off.
     *
     * @param status status of the response, 0 if there was none
     */
    void failed(int status, Failure failure) {
        cancelled(failure);
        page.fetched(
                asked,
                failure.kind() == Failure.Kind.TIMEOUT
                        ? FragmentOutcome.TIMEOUT
                        : FragmentOutcome.ERROR,
                startedNanos,
                status,
                failure,
                search);
    }

    /** Like {@link #failed}, for the observer only. */
    void cancelled(Failure failure) {
        var notes = page.notes();
        var inclusion = asked.inclusion();
        if (notes != null && inclusion != null) {
            notes.fragmentFailed(place(inclusion), asked.key(), failure.status(), failure);
        }
    }

    private AssemblyNotes.Place place(Inclusion inclusion) {
        return new AssemblyNotes.Place(number, inclusion.parent(), inclusion.depth(), startedNanos);
    }
}
