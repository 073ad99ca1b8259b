package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:otherwise>}: shown when no branch holds. */
public final class OtherwiseTag extends Enclosing {

    /** Made by the page. */
    public OtherwiseTag() {
        super("otherwise");
    }

    @Override
    void check() throws JspException {
        parent(ChooseTag.class, "esi:choose");
    }
}
