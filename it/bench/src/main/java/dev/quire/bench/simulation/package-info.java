/**
 * {@code bin/simulate}: a model of a fleet in virtual time, its calibration by real processes, and
 * the size of a store.
 */
@NullMarked
package dev.quire.bench.simulation;

import org.jspecify.annotations.NullMarked;
