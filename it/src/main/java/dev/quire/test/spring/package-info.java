/**
 * The harness for applications with Spring and the starter, which are optional dependencies. Leaves
 * to others: everything that works without them.
 */
@NullMarked
package dev.quire.test.spring;

import org.jspecify.annotations.NullMarked;
