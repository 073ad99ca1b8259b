/**
 * The real proxy in a container, in front of a server that a test has started on this machine.
 * Needs Testcontainers; with Spring Boot's support for it the container is a {@code
 * ServiceConnection} that receives the starter's invalidations. Not responsible for: assertions
 * about pages.
 */
@NullMarked
package dev.quire.test.containers;

import org.jspecify.annotations.NullMarked;
