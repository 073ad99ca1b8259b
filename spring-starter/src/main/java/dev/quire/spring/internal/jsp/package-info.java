/**
 * The tag library for JSPs, {@code <%@ taglib prefix="esi" uri="https://quire.dev/esi" %>}:
 * validates tags and their nesting, and builds URLs. Not here: the markup itself, see {@link
 * dev.quire.spring.Esi}.
 */
@NullMarked
package dev.quire.spring.internal.jsp;

import org.jspecify.annotations.NullMarked;
