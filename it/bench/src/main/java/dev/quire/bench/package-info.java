/**
 * JMH benchmarks of parsing and planning, over pages like those of a news site, and a bare server
 * as a lower bound for the cost of whole requests. Also parses the arguments of the commands in the
 * subpackages, and runs processes and removes folders for them. Leaves to others: measuring whole
 * requests.
 */
@NullMarked
package dev.quire.bench;

import org.jspecify.annotations.NullMarked;
