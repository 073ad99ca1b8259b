/**
 * Measures the segment log of the disk tier alone, a proxy whose disk fails, and what a proxy
 * writes to its disk. Leaves to others: measuring requests that are answered from the disk.
 */
@NullMarked
package dev.quire.bench.disk;

import org.jspecify.annotations.NullMarked;
