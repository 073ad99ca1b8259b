package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Spring's transactions, with any transaction manager. */
public final class SpringTransactions implements Transactions {

    @Override
    public boolean keep(Invalidation invalidation, Consumer<Collection<Invalidation>> sender) {
        // a synchronization scope without a transaction commits nothing: its writes are already
        // visible
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        var collected = current();
        if (collected == null) {
            collected = new Collected(sender);
            TransactionSynchronizationManager.registerSynchronization(collected);
        }
        collected.invalidations.add(invalidation);
        return true;
    }

    @Override
    public List<Invalidation> take() {
        var collected =
                TransactionSynchronizationManager.isSynchronizationActive() ? current() : null;
        if (collected == null) {
            return List.of();
        }
        return collected.take();
    }

    /** Returns the invalidations of the current transaction; a suspended one keeps its own. */
    private static @Nullable Collected current() {
        for (var one : TransactionSynchronizationManager.getSynchronizations()) {
            if (one instanceof Collected collected) {
                return collected;
            }
        }
        return null;
    }

    /** The invalidations of one transaction. */
    private static final class Collected implements TransactionSynchronization {
        private final Consumer<Collection<Invalidation>> sender;
        private final List<Invalidation> invalidations = new ArrayList<>();
        private final Map<Object, Integer> savepoints = new HashMap<>();

        Collected(Consumer<Collection<Invalidation>> sender) {
            this.sender = sender;
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, invalidations.size());
        }

        /** An unknown savepoint is older than all collected invalidations. */
        @Override
        public void savepointRollback(Object savepoint) {
            int then = savepoints.getOrDefault(savepoint, 0);
            if (then < invalidations.size()) {
                invalidations.subList(then, invalidations.size()).clear();
            }
        }

        @Override
        public void afterCommit() {
            sender.accept(take());
        }

        /**
         * Sends what was added after the commit by other synchronizations. Spring reads the
         * synchronizations again for this phase, so it also calls one that was registered then.
         */
        @Override
        public void afterCompletion(int status) {
            if (status != STATUS_ROLLED_BACK && !invalidations.isEmpty()) {
                sender.accept(take());
            }
        }

        List<Invalidation> take() {
            var taken = List.copyOf(invalidations);
            invalidations.clear();
            return taken;
        }
    }
}
