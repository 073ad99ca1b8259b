/**
 * Measures the segment log of the disk tier alone. Leaves to others: measuring requests that are
 * answered from it.
 */
@NullMarked
package dev.quire.bench.disk;

import org.jspecify.annotations.NullMarked;
