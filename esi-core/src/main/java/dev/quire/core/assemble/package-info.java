/**
 * Assembly: a parsed page becomes a plan, its fragments start together, and what is ready drains in
 * document order. Also the head of the assembled page, and the error that stands in for it. Leaves
 * to others: caches, sockets and threads.
 */
@NullMarked
package dev.quire.core.assemble;

import org.jspecify.annotations.NullMarked;
