package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;

/** {@code <esi:choose>}: the first branch whose condition is true (ESI 1.0 §3.3). */
public final class ChooseTag extends Enclosing {

    private int branches;

    /** Created by the JSP container. */
    public ChooseTag() {
        super("choose");
    }

    void branch() {
        branches++;
    }

    @Override
    void checkContent() throws JspException {
        if (branches == 0) {
            throw new JspTagException("esi:choose has no esi:when inside (expected one or more)");
        }
    }
}
