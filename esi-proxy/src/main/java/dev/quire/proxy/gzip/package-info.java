/**
 * Bodies in gzip (RFC 1952) that are put together of pieces compressed long before, and of bytes
 * that are not compressed at all. Knows nothing of responses, or of where pieces are kept.
 */
@NullMarked
package dev.quire.proxy.gzip;

import org.jspecify.annotations.NullMarked;
