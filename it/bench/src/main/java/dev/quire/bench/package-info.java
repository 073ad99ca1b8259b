/**
 * How fast the language is read and planned, measured with JMH over pages as a news site renders
 * them, and a bare server that bounds what whole requests can cost. Leaves to others: measuring
 * those.
 */
@NullMarked
package dev.quire.bench;

import org.jspecify.annotations.NullMarked;
