package dev.quire.spring.internal.view;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.model.AttributeValueQuotes;
import org.thymeleaf.model.ICloseElementTag;
import org.thymeleaf.model.IModel;
import org.thymeleaf.model.IOpenElementTag;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.processor.element.AbstractElementModelProcessor;
import org.thymeleaf.processor.element.IElementModelStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Moves attributes that create the content of an ESI element, such as th:text, to a block inside
 * it: once such an expression has run, Thymeleaf no longer exposes the element and its content as
 * one model.
 */
final class EsiBodyProcessor extends AbstractElementModelProcessor {

    /** Before all of Thymeleaf's own processors. */
    private static final int PRECEDENCE = 50;

    private static final List<String> CONTENT = List.of("text", "utext", "insert");

    EsiBodyProcessor(String prefix, String element) {
        super(TemplateMode.HTML, prefix, element, true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context, IModel model, IElementModelStructureHandler structure) {
        var tag = (IProcessableElementTag) model.get(0);
        var standard = context.getConfiguration().getStandardDialectPrefix();
        var ofElement = new LinkedHashMap<String, @Nullable String>();
        var ofContent = new LinkedHashMap<String, @Nullable String>();
        for (var attribute : tag.getAllAttributes()) {
            var name = attribute.getAttributeCompleteName();
            (makesContent(name, standard) ? ofContent : ofElement).put(name, attribute.getValue());
        }
        if (ofContent.isEmpty()) {
            return;
        }
        var block = standard + ":block";
        var factory = context.getModelFactory();
        model.replace(0, open(context, tag.getElementCompleteName(), ofElement));
        model.insert(1, open(context, block, ofContent));
        if (model.get(model.size() - 1) instanceof ICloseElementTag) {
            model.insert(model.size() - 1, factory.createCloseElementTag(block));
        } else {
            model.add(factory.createCloseElementTag(block));
            model.add(factory.createCloseElementTag(tag.getElementCompleteName()));
        }
    }

    private static IOpenElementTag open(
            ITemplateContext context, String name, Map<String, @Nullable String> attributes) {
        return context.getModelFactory()
                .createOpenElementTag(name, attributes, AttributeValueQuotes.DOUBLE, false);
    }

    private static boolean makesContent(String attribute, @Nullable String standard) {
        return standard != null
                && CONTENT.stream()
                        .anyMatch(each ->
                                attribute.equals(standard + ":" + each)
                                        || attribute.equals("data-" + standard + "-" + each));
    }
}
