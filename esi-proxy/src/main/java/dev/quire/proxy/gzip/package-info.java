/**
 * Content codings: bodies in gzip (RFC 1952), concatenated from precompressed pieces and
 * uncompressed bytes, and decoders for gzip, deflate and brotli. Independent of responses and of
 * where the pieces are stored.
 */
@NullMarked
package dev.quire.proxy.gzip;

import org.jspecify.annotations.NullMarked;
