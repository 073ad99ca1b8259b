/**
 * The tag library for JSPs, {@code <%@ taglib prefix="esi" uri="https://quire.dev/esi" %>}: what
 * may be written, where it may stand, and the URLs. Leaves to others: what a tag looks like in the
 * page, which is {@link dev.quire.spring.Esi}'s.
 */
@NullMarked
package dev.quire.spring.jsp;

import org.jspecify.annotations.NullMarked;
