package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;

/** {@code <esi:try>}: an attempt and what stands in when it fails (ESI 1.0 §3.4). */
public final class TryTag extends Enclosing {

    private int attempts;

    /** Made by the page. */
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
