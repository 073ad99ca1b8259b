/** Which origin and which policy a request gets. Leaves to others: talking to the origin. */
@NullMarked
package dev.quire.proxy.route;

import org.jspecify.annotations.NullMarked;
