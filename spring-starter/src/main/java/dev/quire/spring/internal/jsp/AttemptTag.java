package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:attempt>}: shown as a whole, or not at all if an include in it fails. */
public final class AttemptTag extends Enclosing {

    /** Created by the JSP container. */
    public AttemptTag() {
        super("attempt");
    }

    @Override
    void check() throws JspException {
        parent(TryTag.class, "esi:try").attempt();
    }
}
