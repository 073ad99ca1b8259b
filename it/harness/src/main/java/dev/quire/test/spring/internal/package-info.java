/** The site of a Spring test, for JUnit Jupiter. */
@NullMarked
package dev.quire.test.spring.internal;

import org.jspecify.annotations.NullMarked;
