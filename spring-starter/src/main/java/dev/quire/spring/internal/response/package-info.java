/** Servlet responses that hold or keep bytes. */
@NullMarked
package dev.quire.spring.internal.response;

import org.jspecify.annotations.NullMarked;
