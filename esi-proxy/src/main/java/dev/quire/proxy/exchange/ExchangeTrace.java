package dev.quire.proxy.exchange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the access log will say of an exchange. Confined to its loop. */
public final class ExchangeTrace {

    /**
     * One fragment of the page that was not simply a hit.
     *
     * @param status of the origin's answer, 0 without one
     * @param error null when it became part of the page
     */
    public record FragmentTrace(
            String url, String outcome, Duration took, int status, @Nullable String error) {}

    private final long startedNanos;
    private List<FragmentTrace> fragments = List.of();
    private String outcome = "none";
    private @Nullable String reason;
    private int omitted;

    ExchangeTrace(long startedNanos) {
        this.startedNanos = startedNanos;
    }

    /** The time since the request was read. */
    public Duration took() {
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /** Which way the request took: hit, stale, miss, revalidate, pass or error. */
    public void decided(String way, @Nullable String because) {
        outcome = way;
        reason = because;
    }

    /** A fragment was asked for at its origin, or waited for. */
    public void fragment(FragmentTrace fragment) {
        if (fragments.isEmpty()) {
            fragments = new ArrayList<>();
        }
        fragments.add(fragment);
    }

    /** A fragment is missing in the page. */
    public void omitted() {
        omitted++;
    }

    /** No answer of the origin's could be given. */
    public void failed(String because) {
        outcome = "error";
        reason = because;
    }

    public String outcome() {
        return outcome;
    }

    public @Nullable String reason() {
        return reason;
    }

    /** How many fragments are missing in the page. */
    public int omissions() {
        return omitted;
    }

    public List<FragmentTrace> fragments() {
        return fragments;
    }
}
