package dev.quire.spring.internal.view;

import java.util.Map;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.model.IAttribute;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.processor.element.AbstractElementTagProcessor;
import org.thymeleaf.processor.element.IElementTagStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Records the attributes of an ESI element as written in the template, before {@code th:attr} and
 * similar attributes replace them: only the author of the template may write expressions.
 */
final class AuthorsAttributes extends AbstractElementTagProcessor {

    /** After th:each, th:if and th:with, before every processor that changes attributes. */
    private static final int PRECEDENCE = 650;

    private static final String VARIABLE = AuthorsAttributes.class.getName();

    AuthorsAttributes(String prefix, String element) {
        super(TemplateMode.HTML, prefix, element, true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context,
            IProcessableElementTag tag,
            IElementTagStructureHandler structure) {
        structure.setLocalVariable(VARIABLE, Map.copyOf(tag.getAttributeMap()));
    }

    /** Whether the value of {@code attribute} is literally in the template. */
    static boolean have(ITemplateContext context, IAttribute attribute) {
        return context.getVariable(VARIABLE) instanceof Map<?, ?> written
                && attribute.getValue() != null
                && attribute.getValue().equals(written.get(attribute.getAttributeCompleteName()));
    }
}
