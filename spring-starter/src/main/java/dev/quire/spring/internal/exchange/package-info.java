/** The state of one request and its response, and why the response is made private. */
@NullMarked
package dev.quire.spring.internal.exchange;

import org.jspecify.annotations.NullMarked;
