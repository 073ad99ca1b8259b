/**
 * How fast the language is read and planned, measured with JMH over pages as a news site renders
 * them. Leaves to others: the speed of whole requests.
 */
@NullMarked
package dev.quire.bench;

import org.jspecify.annotations.NullMarked;
