/**
 * An application that writes the same page with a JSP, with Thymeleaf and with a bare servlet, and
 * puts into each what a visitor sends, as it is. It is deployed into a Tomcat of its own. Leaves to
 * others: everything that makes a site.
 */
@NullMarked
package dev.quire.war;

import org.jspecify.annotations.NullMarked;
