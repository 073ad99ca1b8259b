/**
 * Assembly: a parsed page becomes a plan, its fragments are fetched concurrently, and finished
 * parts are written in document order. Also the head of the assembled page, and the error page that
 * replaces it. Caches, sockets and threads are handled elsewhere.
 */
@NullMarked
package dev.quire.core.assemble;

import org.jspecify.annotations.NullMarked;
