/**
 * The real proxy in a container, in front of a server that a test has started on this machine.
 * Needs Testcontainers; with Spring Boot's part of it the container is a {@code ServiceConnection},
 * to which the starter sends its invalidations. Leaves to others: what is asserted of a page.
 */
@NullMarked
package dev.quire.test.containers;

import org.jspecify.annotations.NullMarked;
