package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;

/** {@code <esi:try>}: an attempt and the content used if it fails (ESI 1.0 §3.4). */
public final class TryTag extends Enclosing {

    private int attempts;

    /** Created by the JSP container. */
    public TryTag() {
        super("try");
    }

    void attempt() {
        attempts++;
    }

    @Override
    void checkContent() throws JspException {
        if (attempts != 1) {
            throw new JspTagException(
                    "esi:try has %d esi:attempt inside (expected one, then esi:except)"
                            .formatted(attempts));
        }
    }
}
