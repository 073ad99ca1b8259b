package dev.quire.spring;

import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.context.IWebContext;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.processor.element.AbstractElementTagProcessor;
import org.thymeleaf.processor.element.IElementTagStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * An element of the language in a template, other than an include: it stays as it is, and the
 * response is known to have tags.
 */
final class EsiElementProcessor extends AbstractElementTagProcessor {

    /** After th:if has decided whether the element is there at all. */
    private static final int PRECEDENCE = 1500;

    EsiElementProcessor(String prefix, String element) {
        super(TemplateMode.HTML, prefix, element, true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context,
            IProcessableElementTag tag,
            IElementTagStructureHandler structure) {
        tags(context).noteTag();
    }

    /** What writes the tags of the response a template is rendered for. */
    static TagWriter tags(ITemplateContext context) {
        return TagWriter.of(
                context instanceof IWebContext web
                        ? web.getExchange().getAttributeValue(TagWriter.ATTRIBUTE)
                        : null);
    }

    /** The exchange a template is rendered for, or null if our filter has not seen it. */
    static @Nullable Exchange exchange(ITemplateContext context) {
        return context instanceof IWebContext web
                        && web.getExchange().getAttributeValue(Exchange.ATTRIBUTE)
                                instanceof Exchange known
                ? known
                : null;
    }
}
