package dev.quire.proxy.cache;

import dev.quire.core.policy.SentRequest;
import dev.quire.proxy.exchange.TierSearch;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/** Waits on its own loop for a search in the tiers below the memory. */
public interface SearchSink {

    /** The loop on which all calls are made. */
    EventLoop loop();

    /** The request as sent to the origin; it selects the variant. */
    SentRequest request();

    /** Whether it can send a body that is in a file. */
    default boolean takesFiles() {
        return false;
    }

    /**
     * The search has ended: it must look again, and need not search again.
     *
     * @param inFile the response, if its body is in a file; the sink owns one reference
     */
    void searched(@Nullable StoredResponse inFile, TierSearch search);

    /** A call of this sink has thrown: ends its exchange without affecting others. */
    void failed(Throwable bug);
}
