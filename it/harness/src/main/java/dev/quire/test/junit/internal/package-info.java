/** Where the sites of tests come from. */
@NullMarked
package dev.quire.test.junit.internal;

import org.jspecify.annotations.NullMarked;
