package dev.quire.proxy.exchange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The data of one exchange for the access log. Confined to its loop. */
public final class ExchangeTrace {

    /**
     * One fragment of the page that was not a plain hit.
     *
     * @param status of the origin's response, 0 if there was none
     * @param error null if it became part of the page
     * @param search of the tier below the memory; null if it was not needed
     */
    public record FragmentTrace(
            String url,
            String outcome,
            Duration took,
            int status,
            @Nullable String error,
            @Nullable TierSearch search) {}

    private final long startedNanos;
    private List<FragmentTrace> fragments = List.of();
    private String outcome = "none";
    private @Nullable String reason;
    private @Nullable FetchReport fetch;
    private @Nullable TierSearch search;
    private int omitted;
    private boolean isClosed;

    ExchangeTrace(long startedNanos) {
        this.startedNanos = startedNanos;
    }

    /** When the request was read, on the clock of its loop. */
    public long startedNanos() {
        return startedNanos;
    }

    /** Records nothing from now on. */
    void close() {
        isClosed = true;
    }

    /** Records that the origin is asked; the last one counts. */
    public void fetchedBy(FetchReport report) {
        if (!isClosed) {
            fetch = report;
        }
    }

    /** How the origin was asked; null if it was not. */
    public @Nullable FetchReport fetch() {
        return fetch;
    }

    /** Records the last search of the tier below the memory; null if it was not needed. */
    public void searched(@Nullable TierSearch last) {
        if (!isClosed) {
            search = last;
        }
    }

    /** The search of the tier below the memory; null if it was not needed. */
    public @Nullable TierSearch search() {
        return search;
    }

    /** Records how the request was handled: hit, stale, miss, revalidate, pass or error. */
    public void decided(String way, @Nullable String because) {
        if (!isClosed) {
            outcome = way;
            reason = because;
        }
    }

    /** Records a fragment that was fetched or waited for. */
    public void fragment(FragmentTrace fragment) {
        if (isClosed) {
            return;
        }
        if (fragments.isEmpty()) {
            fragments = new ArrayList<>();
        }
        fragments.add(fragment);
    }

    /** Records that a fragment is missing from the page. */
    public void omitted() {
        if (!isClosed) {
            omitted++;
        }
    }

    /** Records that no response of the origin could be sent. */
    public void failed(String because) {
        decided("error", because);
    }

    public String outcome() {
        return outcome;
    }

    public @Nullable String reason() {
        return reason;
    }

    /** How many fragments are missing from the page. */
    public int omissions() {
        return omitted;
    }

    public List<FragmentTrace> fragments() {
        return fragments;
    }
}
