/** Assembly of pages inside the application, for requests that no surrogate has forwarded. */
@NullMarked
package dev.quire.spring.internal.assemble;

import org.jspecify.annotations.NullMarked;
