package dev.quire.proxy.cel;

import dev.quire.core.rule.Input;
import dev.quire.core.rule.RuleValues;
import dev.quire.core.rule.TextTemplate;
import dev.quire.core.rule.UrlText;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The text of an expression in a template.
 *
 * @param encodes whether the text is percent-encoded to become a part of a URL
 */
record ExpressionPart(CompiledExpression expression, boolean encodes) implements TextTemplate.Part {
    /** A text of these alone may contain slashes: they were between segments before. */
    private static final Set<Input> OF_PATH = EnumSet.of(Input.SCHEME, Input.HOST, Input.PATH);

    @Override
    public String text(RuleValues values, List<@Nullable String> groups) {
        var text = expression.result(values).toString();
        return encodes ? UrlText.encoded(text, OF_PATH.containsAll(inputs())) : text;
    }

    @Override
    public Set<Input> inputs() {
        return expression.inputs();
    }

    @Override
    public Set<String> variables() {
        return expression.variables();
    }

    @Override
    public Set<String> headers() {
        return expression.headers();
    }
}
