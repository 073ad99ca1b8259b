/**
 * How fast the language is read and planned, measured with JMH over pages as a news site renders
 * them, and a bare server that bounds what whole requests can cost. Also reads the arguments of the
 * commands of this package's subpackages. Leaves to others: measuring whole requests.
 */
@NullMarked
package dev.quire.bench;

import org.jspecify.annotations.NullMarked;
