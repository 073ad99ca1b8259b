package dev.quire.proxy.disk;

import dev.quire.proxy.cache.RecordLog;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * The sequence of invalidations that the records of a log are tested against.
 *
 * @param tier its id
 * @param position returns the number of the last entry that every later process will know
 * @param again tests records that are written again
 */
record LogSequence(UUID tier, LongSupplier position, RecordLog.Reinsertion again) {}
