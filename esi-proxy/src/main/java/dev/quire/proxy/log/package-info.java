/**
 * The access log: one line a page, its fragments nested, written behind a bounded queue. Leaves to
 * others: what a request was and when it ended.
 */
@NullMarked
package dev.quire.proxy.log;

import org.jspecify.annotations.NullMarked;
