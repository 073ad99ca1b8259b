/**
 * Quire beside other servers: an origin, targets that are started by scripts, load by wrk and ab,
 * and reports in which every figure stands in relation to another of the same run. Leaves to
 * others: what one step costs inside Quire.
 */
@NullMarked
package dev.quire.bench.peers;

import org.jspecify.annotations.NullMarked;
