/**
 * Measures the segment log of the disk tier alone, and a proxy whose disk fails. Leaves to others:
 * measuring requests that are answered from the disk.
 */
@NullMarked
package dev.quire.bench.disk;

import org.jspecify.annotations.NullMarked;
