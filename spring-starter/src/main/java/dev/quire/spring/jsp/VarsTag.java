package dev.quire.spring.jsp;

import dev.quire.spring.Esi;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * {@code <esi:vars name="HTTP_HOST"/>}: a value that only whoever assembles knows. One element for
 * each value, so that no other text of the page is read as an expression.
 */
public final class VarsTag extends Element {

    private String variable = "";
    private @Nullable String key;
    private @Nullable String instead;

    /** Made by the page. */
    public VarsTag() {}

    /** Sets the variable. */
    public void setName(String name) {
        variable = name;
    }

    /** Sets which entry of it is meant, such as the name of a cookie. */
    public void setKey(String name) {
        key = name;
    }

    /** Sets what stands in for a missing value. */
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
