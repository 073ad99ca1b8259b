package dev.quire.spring.internal.jsp;

import dev.quire.spring.internal.stamp.TagWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.jsp.JspException;
import jakarta.servlet.jsp.JspTagException;
import jakarta.servlet.jsp.PageContext;
import jakarta.servlet.jsp.tagext.JspFragment;
import jakarta.servlet.jsp.tagext.SimpleTagSupport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The base of all tags of the library. One instance per use in a request, as JSP requires. */
abstract class ElementTag extends SimpleTagSupport {

    /** Returns its name in a page, such as {@code esi:include}. */
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

    /** Writes the content of this element, if any. */
    void writeContent() throws JspException, IOException {
        @Nullable JspFragment content = getJspBody();
        if (content != null) {
            content.invoke(null);
        }
    }

    /**
     * Returns the enclosing element of the library; tags of other libraries may be in between.
     *
     * @throws JspTagException if it is absent or of another type
     */
    <T extends ElementTag> T parent(Class<T> type, String expected) throws JspTagException {
        var parent = findAncestorWithClass(this, ElementTag.class);
        if (!type.isInstance(parent)) {
            throw new JspTagException(
                    "%s is not allowed %s (expected inside %s)"
                            .formatted(
                                    name(),
                                    parent instanceof ElementTag other
                                            ? "inside " + other.name()
                                            : "at the top level",
                                    expected));
        }
        return type.cast(parent);
    }
}
