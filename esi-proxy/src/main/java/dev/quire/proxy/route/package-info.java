/** Routes: which origin and policy a request gets. Does not connect to origins. */
@NullMarked
package dev.quire.proxy.route;

import org.jspecify.annotations.NullMarked;
