/**
 * Compares Quire with other servers: an origin, targets that are started by scripts, load by wrk
 * and ab, and reports with ratios between targets of the same run. Leaves to others: the cost of
 * single steps inside Quire.
 */
@NullMarked
package dev.quire.bench.peers;

import org.jspecify.annotations.NullMarked;
