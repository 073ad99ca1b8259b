package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:when>}: a branch, and the condition on which it is shown. */
public final class WhenTag extends Enclosing {

    /** Made by the page. */
    public WhenTag() {
        super("when");
    }

    /** Sets the condition, an expression of the language. The library takes no text of a user. */
    public void setTest(String expression) {
        attribute("test", expression);
    }

    @Override
    void check() throws JspException {
        parent(ChooseTag.class, "esi:choose").branch();
    }
}
