package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;
import java.util.HashMap;
import java.util.Map;

/** {@code <esi:except>}: stands in for a failed attempt. */
public final class ExceptTag extends Enclosing {

    private final Map<String, String> attributes;

    /** Made by the page. */
    public ExceptTag() {
        this(new HashMap<>());
    }

    private ExceptTag(Map<String, String> attributes) {
        super("except", attributes);
        this.attributes = attributes;
    }

    /** Sets the status it stands in for; without one it does for all. */
    public void setCode(int status) {
        attributes.put("code", Integer.toString(status));
    }

    @Override
    void check() throws JspException {
        parent(TryTag.class, "esi:try");
    }
}
