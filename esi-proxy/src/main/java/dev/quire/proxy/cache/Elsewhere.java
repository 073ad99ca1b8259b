package dev.quire.proxy.cache;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Responses outside the memory that were tested against some entries only.
 *
 * @param log of all entries; null if there are no such responses
 * @param oldest the entry up to which the oldest of them was tested; never decreases
 */
record Elsewhere(@Nullable InvalidationLog log, LongSupplier oldest) {
    static final Elsewhere NONE = new Elsewhere(null, () -> Long.MAX_VALUE);
}
