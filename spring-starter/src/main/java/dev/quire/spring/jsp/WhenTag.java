package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;
import java.util.HashMap;
import java.util.Map;

/** {@code <esi:when>}: a branch, and the condition on which it is shown. */
public final class WhenTag extends Enclosing {

    private final Map<String, String> attributes;

    /** Made by the page. */
    public WhenTag() {
        this(new HashMap<>());
    }

    private WhenTag(Map<String, String> attributes) {
        super("when", attributes);
        this.attributes = attributes;
    }

    /** Sets the condition, an expression of the language. The library takes no text of a user. */
    public void setTest(String expression) {
        attributes.put("test", expression);
    }

    @Override
    void check() throws JspException {
        parent(ChooseTag.class, "esi:choose").branch();
    }
}
