/**
 * Message heads as small values: requests and responses without their bodies (RFC 9110). Network
 * input and the meaning of fields for caching are handled elsewhere.
 */
@NullMarked
package dev.quire.core.http;

import org.jspecify.annotations.NullMarked;
