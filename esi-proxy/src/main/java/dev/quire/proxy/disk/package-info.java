/**
 * The segment log of the disk tier: records by their id in append-only files, found again after a
 * restart. It does not know the content of a record. Other packages choose what to store, and when
 * to read.
 */
@NullMarked
package dev.quire.proxy.disk;

import org.jspecify.annotations.NullMarked;
