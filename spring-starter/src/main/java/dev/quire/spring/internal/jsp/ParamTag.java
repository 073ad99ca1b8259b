package dev.quire.spring.internal.jsp;

import jakarta.servlet.jsp.JspException;

/** {@code <esi:param>}: a query parameter of the fragment, percent-encoded here. */
public final class ParamTag extends ElementTag {

    private String name = "";
    private String value = "";

    /** Created by the JSP container. */
    public ParamTag() {}

    public void setName(String text) {
        name = text;
    }

    public void setValue(String text) {
        value = text;
    }

    @Override
    public void doTag() throws JspException {
        parent(IncludeTag.class, "esi:include").parameter(name, value);
    }

    @Override
    String name() {
        return "esi:param";
    }
}
