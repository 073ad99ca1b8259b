/** Unit tests of the tag library; the war tests it in a container. */
@NullMarked
package dev.quire.spring.internal.jsp;

import org.jspecify.annotations.NullMarked;
