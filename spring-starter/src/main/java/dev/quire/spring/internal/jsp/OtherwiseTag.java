package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:otherwise>}: shown when no condition is true. */
public final class OtherwiseTag extends Enclosing {

    /** Created by the JSP container. */
    public OtherwiseTag() {
        super("otherwise");
    }

    @Override
    void check() throws JspException {
        parent(ChooseTag.class, "esi:choose");
    }
}
