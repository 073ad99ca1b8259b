/** The access log: one line per page with its fragments, written through a bounded queue. */
@NullMarked
package dev.quire.proxy.log;

import org.jspecify.annotations.NullMarked;
