/**
 * Tests of the pages of a Spring Boot application: its site over MockMvc, over its port, or behind
 * the real proxy, from the context that Spring's own test support has started; and what the
 * application tells surrogates to forget. Leaves to others: starting the application; what is asked
 * and asserted.
 */
@NullMarked
package dev.quire.test.spring;

import org.jspecify.annotations.NullMarked;
