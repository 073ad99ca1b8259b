package dev.quire.proxy.path;

import dev.quire.core.assemble.FragmentSource.Fetching;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A fragment whose fetch begins once its rules have been applied. */
final class WaitingFetch implements Fetching {
    private @Nullable Fetching fetching;
    private boolean isTurn;
    private boolean isCancelled;

    /** Begins the fetch, unless it has been cancelled. */
    void begin(Supplier<Fetching> fetch) {
        if (isCancelled) {
            return;
        }
        var begun = fetch.get();
        fetching = begun;
        if (isTurn) {
            begun.onTurn();
        }
    }

    @Override
    public void onTurn() {
        isTurn = true;
        if (fetching != null) {
            fetching.onTurn();
        }
    }

    @Override
    public void cancel() {
        isCancelled = true;
        if (fetching != null) {
            fetching.cancel();
        }
    }
}
