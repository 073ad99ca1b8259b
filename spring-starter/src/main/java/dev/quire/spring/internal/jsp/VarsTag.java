package dev.quire.spring.internal.jsp;

import dev.quire.spring.Esi;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * {@code <esi:vars name="HTTP_HOST"/>}: the value of a variable, inserted during assembly. One
 * element per value, so that no other text of the page is parsed as an expression.
 */
public final class VarsTag extends ElementTag {

    private String variable = "";
    private @Nullable String key;
    private @Nullable String instead;

    /** Created by the JSP container. */
    public VarsTag() {}

    public void setName(String name) {
        variable = name;
    }

    /** Sets the entry of a list variable, such as the name of a cookie. */
    public void setKey(String name) {
        key = name;
    }

    /** Sets the default for a missing value. */
    public void setDefault(String text) {
        instead = text;
    }

    @Override
    public void doTag() throws IOException {
        var value = Esi.variable(variable);
        if (key != null) {
            value = value.key(key);
        }
        if (instead != null) {
            value = value.or(instead);
        }
        write(value.toHtml(request()));
    }

    @Override
    String name() {
        return "esi:vars";
    }
}
