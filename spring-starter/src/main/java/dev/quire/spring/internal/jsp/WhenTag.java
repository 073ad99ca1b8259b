package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:when>}: a branch with its condition. */
public final class WhenTag extends Enclosing {

    /** Created by the JSP container. */
    public WhenTag() {
        super("when");
    }

    /** Sets the condition, an ESI expression. The library accepts no user input here. */
    public void setTest(String expression) {
        attribute("test", expression);
    }

    @Override
    void check() throws JspException {
        parent(ChooseTag.class, "esi:choose").branch();
    }
}
