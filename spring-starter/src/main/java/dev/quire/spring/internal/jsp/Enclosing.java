package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** An ESI element around a part of the page. */
abstract class Enclosing extends ElementTag {

    private final String element;
    private final Map<String, String> attributes = new HashMap<>();

    Enclosing(String element) {
        this.element = element;
    }

    /** Sets an attribute of the start tag. */
    void attribute(String name, String value) {
        attributes.put(name, value);
    }

    @Override
    String name() {
        return "esi:" + element;
    }

    @Override
    public void doTag() throws JspException, IOException {
        check();
        write(tags().start(element, attributes));
        writeContent();
        write(tags().end(element));
        checkContent();
    }

    /** Throws if it is in the wrong place. */
    void check() throws JspException {}

    /** Throws if required content is missing. */
    void checkContent() throws JspException {}
}
