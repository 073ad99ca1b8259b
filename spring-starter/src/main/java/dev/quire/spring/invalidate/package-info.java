/**
 * Tells surrogates what an application has changed: collects what is no longer true while a
 * transaction is open, and sends it after the commit, again if need be, on threads of its own.
 * Leaves to others: what is cached and under which tags, which handlers say.
 */
@NullMarked
package dev.quire.spring.invalidate;

import org.jspecify.annotations.NullMarked;
