package dev.quire.spring.invalidate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Spring's transactions, whoever manages them. */
final class SpringTransactions implements Transactions {

    @Override
    public boolean keep(Invalidation invalidation, Consumer<Collection<Invalidation>> sender) {
        // a mere scope for synchronizations commits nothing: what was written there is true already
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        var kept = current();
        if (kept == null) {
            kept = new Kept(sender);
            TransactionSynchronizationManager.registerSynchronization(kept);
        }
        kept.invalidations.add(invalidation);
        return true;
    }

    @Override
    public List<Invalidation> take() {
        var kept = TransactionSynchronizationManager.isSynchronizationActive() ? current() : null;
        if (kept == null) {
            return List.of();
        }
        var taken = List.copyOf(kept.invalidations);
        kept.invalidations.clear();
        return taken;
    }

    /** A transaction that is suspended has taken its own with it. */
    private static @Nullable Kept current() {
        for (var one : TransactionSynchronizationManager.getSynchronizations()) {
            if (one instanceof Kept kept) {
                return kept;
            }
        }
        return null;
    }

    /** What one transaction has made untrue. */
    private static final class Kept implements TransactionSynchronization {
        private final Consumer<Collection<Invalidation>> sender;
        private final List<Invalidation> invalidations = new ArrayList<>();
        private final Map<Object, Integer> savepoints = new HashMap<>();

        Kept(Consumer<Collection<Invalidation>> sender) {
            this.sender = sender;
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, invalidations.size());
        }

        /** A savepoint that we have not seen is older than all we keep. */
        @Override
        public void savepointRollback(Object savepoint) {
            int then = savepoints.getOrDefault(savepoint, 0);
            if (then < invalidations.size()) {
                invalidations.subList(then, invalidations.size()).clear();
            }
        }

        @Override
        public void afterCommit() {
            sender.accept(List.copyOf(invalidations));
        }
    }
}
