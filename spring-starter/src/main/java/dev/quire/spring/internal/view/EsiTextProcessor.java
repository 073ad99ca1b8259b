package dev.quire.spring.internal.view;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.model.IText;
import org.thymeleaf.processor.text.AbstractTextProcessor;
import org.thymeleaf.processor.text.ITextStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Stamps references in a template's own text, where ESI evaluates them. The output of template
 * expressions is not stamped: references in it stay text.
 */
final class EsiTextProcessor extends AbstractTextProcessor {

    /** The local variable that is true where references are evaluated. */
    static final String INTERPOLATED = EsiTextProcessor.class.getName() + ".interpolated";

    private static final int PRECEDENCE = 500;

    /** {@code $(NAME} or {@code $name(}, without a backslash in front. */
    private static final Pattern REFERENCE =
            Pattern.compile("(?<!\\\\)\\$(?=\\([A-Za-z]|[A-Za-z][A-Za-z0-9_]*\\()");

    EsiTextProcessor() {
        super(TemplateMode.HTML, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context, IText text, ITextStructureHandler structure) {
        var written = text.getText();
        if (written.indexOf('$') < 0 || !Boolean.TRUE.equals(context.getVariable(INTERPOLATED))) {
            return;
        }
        var mark = EsiElementProcessor.tags(context).mark();
        if (!mark.isEmpty() && !isOurTag(written, mark)) {
            structure.setText(
                    REFERENCE.matcher(written).replaceAll(Matcher.quoteReplacement("$" + mark)));
        }
    }

    /** Tags pass here once they are written; their attributes are not text. */
    private static boolean isOurTag(String text, String mark) {
        return text.startsWith("<esi:" + mark) || text.startsWith("</esi:" + mark);
    }
}
