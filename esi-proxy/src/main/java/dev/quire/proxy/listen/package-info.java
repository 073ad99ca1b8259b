/**
 * The client side: decodes bytes into validated requests, or refuses them. Does not decide
 * responses; routes, cache and origin do.
 */
@NullMarked
package dev.quire.proxy.listen;

import org.jspecify.annotations.NullMarked;
