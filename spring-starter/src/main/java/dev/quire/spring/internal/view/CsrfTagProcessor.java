package dev.quire.spring.internal.view;

import dev.quire.spring.Esi;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.processor.element.AbstractElementTagProcessor;
import org.thymeleaf.processor.element.IElementTagStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/** {@code <esi:csrf/>} in a form: an include of the hidden input with the client's CSRF token. */
final class CsrfTagProcessor extends AbstractElementTagProcessor {

    /** After th:if, which may remove the element. */
    private static final int PRECEDENCE = 1500;

    CsrfTagProcessor(String prefix) {
        super(TemplateMode.HTML, prefix, "csrf", true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context,
            IProcessableElementTag tag,
            IElementTagStructureHandler structure) {
        structure.replaceWith(Esi.csrf().html(EsiElementProcessor.tags(context)), false);
    }
}
