/** The syntax of addresses and host names in configurations, and names nearest to a given one. */
@NullMarked
package dev.quire.core.text;

import org.jspecify.annotations.NullMarked;
