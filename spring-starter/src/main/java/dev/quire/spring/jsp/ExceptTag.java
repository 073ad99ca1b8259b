package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:except>}: stands in for a failed attempt. */
public final class ExceptTag extends Enclosing {

    /** Made by the page. */
    public ExceptTag() {
        super("except");
    }

    /** Sets the status it stands in for; without one it does for all. */
    public void setCode(int status) {
        attribute("code", Integer.toString(status));
    }

    @Override
    void check() throws JspException {
        parent(TryTag.class, "esi:try");
    }
}
