/**
 * Tests of the pages of a Spring Boot application: its site over MockMvc, over its port, or behind
 * the real proxy, from the context started by Spring's test support; and assertions about the
 * invalidations it sends. Not responsible for: starting the application; requests and assertions
 * about pages.
 */
@NullMarked
package dev.quire.test.spring;

import org.jspecify.annotations.NullMarked;
