package dev.quire.spring.jsp;

import jakarta.servlet.jsp.JspException;
import java.io.IOException;
import java.util.Map;

/** An element of the language around a part of the page. */
abstract class Enclosing extends Element {

    private final String element;
    private final Map<String, String> attributes;

    Enclosing(String element) {
        this(element, Map.of());
    }

    /**
     * An element.
     *
     * @param attributes read when the start tag is written
     */
    Enclosing(String element, Map<String, String> attributes) {
        this.element = element;
        this.attributes = attributes;
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

    /** Complains if it stands in the wrong place. */
    void check() throws JspException {}

    /** Complains if something is missing inside. */
    void checkContent() throws JspException {}
}
