/**
 * An application that writes the same page with a JSP, with Thymeleaf and with a bare servlet, and
 * inserts visitors' input unescaped. It is deployed in a separate Tomcat. Not here: the other
 * features of a site.
 */
@NullMarked
package dev.quire.war;

import org.jspecify.annotations.NullMarked;
