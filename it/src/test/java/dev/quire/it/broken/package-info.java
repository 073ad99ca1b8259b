/**
 * A suite of assertions about one news site, and assemblers that are each broken in one way: what
 * the suite says to them is what it is for. The ways to be broken stand between the application,
 * the assembler and its readers; nothing of what is assembled with knows of them.
 */
@NullMarked
package dev.quire.it.broken;

import org.jspecify.annotations.NullMarked;
