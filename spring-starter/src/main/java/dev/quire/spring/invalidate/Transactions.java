package dev.quire.spring.invalidate;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** The transaction of the calling thread, where there are transactions. */
interface Transactions {

    /** There are none. */
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
     * @param sender is then given all that was kept, on the thread that commits; it never throws
     * @return whether it is kept; false if no transaction is open
     */
    boolean keep(Invalidation invalidation, Consumer<Collection<Invalidation>> sender);

    /** What is kept so far; the commit does not send it any more. */
    List<Invalidation> take();
}
