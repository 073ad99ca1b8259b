package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.Invalidation;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** The transaction of the calling thread, if transactions are supported. */
public interface Transactions {

    Transactions NONE =
            new Transactions() {
                @Override
                public boolean keep(
                        Invalidation invalidation, Consumer<Collection<Invalidation>> sender) {
                    return false;
                }

                @Override
                public List<Invalidation> take() {
                    return List.of();
                }
            };

    /**
     * Keeps {@code invalidation} until the transaction commits.
     *
     * @param sender receives all kept invalidations after the commit, on the committing thread, and
     *     once more those that are kept after that; never throws
     * @return whether it is kept; false if no transaction is open
     */
    boolean keep(Invalidation invalidation, Consumer<Collection<Invalidation>> sender);

    /** Returns and removes the invalidations kept so far. */
    List<Invalidation> take();
}
