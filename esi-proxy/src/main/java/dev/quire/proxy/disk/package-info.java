/**
 * Storage on disk: the segment log, which keeps records by their id in append-only files, and the
 * journal of invalidations; both are found again after a restart. Decides nothing about responses:
 * the package {@code cache} does.
 */
@NullMarked
package dev.quire.proxy.disk;

import org.jspecify.annotations.NullMarked;
