package dev.quire.spring.jsp;

import dev.quire.spring.TagWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;
import jakarta.servlet.jsp.PageContext;
import jakarta.servlet.jsp.tagext.JspFragment;
import jakarta.servlet.jsp.tagext.SimpleTagSupport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What all tags of the library share. One object for each use in one request, as JSP has it. */
abstract class Element extends SimpleTagSupport {

    /** As it is written in a page, such as {@code esi:include}. */
    abstract String name();

    PageContext page() {
        return (PageContext) getJspContext();
    }

    HttpServletRequest request() {
        return (HttpServletRequest) page().getRequest();
    }

    TagWriter tags() {
        return TagWriter.of(request());
    }

    void write(String html) throws IOException {
        getJspContext().getOut().write(html);
    }

    /** Writes what is between the tags of this element, if anything is. */
    void writeContent() throws JspException, IOException {
        @Nullable JspFragment content = getJspBody();
        if (content != null) {
            content.invoke(null);
        }
    }

    /**
     * The element of the library this one stands in; tags of other libraries may be between.
     *
     * @throws JspTagException if that is none or another one
     */
    <T extends Element> T parent(Class<T> type, String expected) throws JspTagException {
        var parent = findAncestorWithClass(this, Element.class);
        if (!type.isInstance(parent)) {
            throw new JspTagException(
                    "%s is not allowed %s (expected inside %s)"
                            .formatted(
                                    name(),
                                    parent instanceof Element other
                                            ? "inside " + other.name()
                                            : "at the top level",
                                    expected));
        }
        return type.cast(parent);
    }
}
