package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:except>}: content shown instead of a failed attempt. */
public final class ExceptTag extends Enclosing {

    /** Created by the JSP container. */
    public ExceptTag() {
        super("except");
    }

    /** Sets the status that it applies to; by default any. */
    public void setCode(int status) {
        attribute("code", Integer.toString(status));
    }

    @Override
    void check() throws JspException {
        parent(TryTag.class, "esi:try");
    }
}
