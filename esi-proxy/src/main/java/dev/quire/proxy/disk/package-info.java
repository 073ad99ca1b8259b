/**
 * Storage on disk, found again after a restart. A disk tier has a segment log, which keeps records
 * by their id in append-only files, and the journal of invalidations. Decides nothing about
 * responses: the package {@code cache} does.
 */
@NullMarked
package dev.quire.proxy.disk;

import org.jspecify.annotations.NullMarked;
