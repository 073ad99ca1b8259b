/** Log entries for faults of the proxy itself. Depends on no other package of it. */
@NullMarked
package dev.quire.proxy.fault;

import org.jspecify.annotations.NullMarked;
