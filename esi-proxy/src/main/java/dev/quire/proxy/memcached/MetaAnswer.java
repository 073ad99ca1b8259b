package dev.quire.proxy.memcached;

import dev.quire.proxy.cache.SharedRecords.Reason;
import java.util.List;

/** The answer of a server to a request, or its absence. */
sealed interface MetaAnswer {

    /** One reply for each command, in order and none of them an error; owned by the receiver. */
    record Replies(List<MetaReply> all) implements MetaAnswer {

        MetaReply first() {
            return all.getFirst();
        }

        @Override
        public void release() {
            all.forEach(MetaReply::release);
        }
    }

    /**
     * It did not answer in time, or with an error.
     *
     * @param detail what happened, for operators
     */
    record None(Reason reason, String detail) implements MetaAnswer {}

    /** Releases what it has. */
    default void release() {}
}
