/**
 * A suite of assertions about one news site, and assemblers with one fault each, which the suite
 * must detect. The faults are applied between application, assembler and clients; the assemblers
 * are unmodified.
 */
@NullMarked
package dev.quire.it.broken;

import org.jspecify.annotations.NullMarked;
