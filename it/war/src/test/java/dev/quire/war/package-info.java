/** A Tomcat of its own with the war in it, alone and behind the proxy. */
@NullMarked
package dev.quire.war;

import org.jspecify.annotations.NullMarked;
