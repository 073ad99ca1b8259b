/** A standalone Tomcat with the war, alone and behind the proxy. */
@NullMarked
package dev.quire.war;

import org.jspecify.annotations.NullMarked;
