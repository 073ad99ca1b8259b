/**
 * The handlers with a policy: which policy each has by annotation, path or code, its routes, and
 * what Spring MVC reports before and after it runs.
 */
@NullMarked
package dev.quire.spring.internal.handler;

import org.jspecify.annotations.NullMarked;
