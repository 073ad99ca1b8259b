/** The tag library as values; in a container it is shown by the war. */
@NullMarked
package dev.quire.spring.jsp;

import org.jspecify.annotations.NullMarked;
