package dev.quire.proxy.fleet;

import dev.quire.proxy.cache.RecordPosition;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A log on a network that can be cut: calls fail, and messages are lost. */
public final class CuttableLog implements LogServer {
    private final LogServer server;
    private volatile boolean isCut;
    private volatile boolean isDeaf;
    private volatile boolean isTickless;
    private volatile boolean isForgetful;
    private volatile boolean isRemovalLost;

    public CuttableLog(LogServer server) {
        this.server = server;
    }

    /** Cuts the node off from the log. */
    public void cut() {
        isCut = true;
        isDeaf = true;
    }

    /** Messages are lost. */
    public void deafen() {
        isDeaf = true;
    }

    /** Ticks fail. */
    public void stopTicks() {
        isTickless = true;
    }

    /** The store does not answer which nodes there are. */
    public void forget() {
        isForgetful = true;
    }

    /** The answer to the removal of nodes does not come. */
    public void loseRemovals() {
        isRemovalLost = true;
    }

    public void heal() {
        isTickless = false;
        isForgetful = false;
        isCut = false;
        isDeaf = false;
    }

    private <T> CompletionStage<T> through(Supplier<CompletionStage<T>> call) {
        // An answer that is on its way is lost too.
        return isCut ? lost() : call.get().thenCompose(answer -> isCut ? lost() : of(answer));
    }

    private static <T> CompletionStage<T> lost() {
        return CompletableFuture.failedStage(new IOException("the network is cut"));
    }

    private static <T> CompletionStage<T> of(T answer) {
        return CompletableFuture.completedStage(answer);
    }

    @Override
    public String addresses() {
        return server.addresses();
    }

    @Override
    public void connect(Listener listener) {
        server.connect(
                new Listener() {
                    private void unlessDeaf(Runnable message) {
                        if (!isDeaf) {
                            message.run();
                        }
                    }

                    @Override
                    public void connected() {
                        unlessDeaf(listener::connected);
                    }

                    @Override
                    public void listening(@Nullable String fault) {
                        listener.listening(fault);
                    }

                    @Override
                    public void appended(long previous, Entry entry) {
                        unlessDeaf(() -> listener.appended(previous, entry));
                    }

                    @Override
                    public void begun() {
                        unlessDeaf(listener::begun);
                    }

                    @Override
                    public void asked(String node, RecordPosition position) {
                        unlessDeaf(() -> listener.asked(node, position));
                    }

                    @Override
                    public void applied(String node, RecordPosition position) {
                        unlessDeaf(() -> listener.applied(node, position));
                    }
                });
    }

    @Override
    public CompletionStage<Tick> tick(Owner owner, Registration registration, int most) {
        return isTickless
                ? CompletableFuture.failedStage(new IOException("the network is slow"))
                : through(() -> server.tick(owner, registration, most));
    }

    @Override
    public CompletionStage<Append> append(
            long epoch, long applied, List<byte[]> entries, long retention, int most) {
        return through(() -> server.append(epoch, applied, entries, retention, most));
    }

    @Override
    public CompletionStage<Copies> copies(Set<RecordPosition> entries) {
        return through(() -> server.copies(entries));
    }

    @Override
    public CompletionStage<Boolean> begin(
            Owner owner, long former, long epoch, long after, byte[] first) {
        return through(() -> server.begin(owner, former, epoch, after, first));
    }

    @Override
    public CompletionStage<Ends> end(long epoch, long applied, String name, boolean hasCompared) {
        return through(() -> server.end(epoch, applied, name, hasCompared));
    }

    @Override
    public CompletionStage<Overview> ask(String node, RecordPosition position) {
        return isForgetful
                ? CompletableFuture.failedStage(new IOException("the network is slow"))
                : through(() -> server.ask(node, position));
    }

    @Override
    public CompletionStage<Overview> overview(Duration longestSilence) {
        return through(() -> server.overview(longestSilence));
    }

    @Override
    public void tell(String asker, String node, RecordPosition position) {
        if (!isCut) {
            server.tell(asker, node, position);
        }
    }

    @Override
    public CompletionStage<Long> leave(String node, Duration silence) {
        var removed = through(() -> server.leave(node, silence));
        return isRemovalLost
                ? removed.thenCompose(count -> new CompletableFuture<Long>())
                : removed;
    }

    @Override
    public void close() {
        server.close();
    }
}
