package dev.quire.proxy.path;

import dev.quire.proxy.fetch.FetchEvents;
import dev.quire.proxy.metrics.OriginMetrics;

/** Counts what one fetcher tells. */
public record CountedFetches(OriginMetrics metrics) implements FetchEvents {

    @Override
    public void retried() {
        metrics.retried();
    }

    @Override
    public void retryRefused() {
        metrics.retryRefused();
    }

    @Override
    public void refused() {
        metrics.refused();
    }

    @Override
    public void ejected() {
        metrics.ejected();
    }
}
