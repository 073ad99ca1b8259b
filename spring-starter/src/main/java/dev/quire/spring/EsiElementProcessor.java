package dev.quire.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.context.IWebContext;
import org.thymeleaf.model.ICloseElementTag;
import org.thymeleaf.model.IModel;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.model.IText;
import org.thymeleaf.processor.element.AbstractElementModelProcessor;
import org.thymeleaf.processor.element.IElementModelStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;
import org.thymeleaf.util.EscapedAttributeUtils;

/**
 * An element of the language in a template, other than an include: its tags are stamped, its
 * attributes taken as they stand.
 */
final class EsiElementProcessor extends AbstractElementModelProcessor {

    /** After th:if has decided whether the element is there at all, and th:attr what it says. */
    private static final int PRECEDENCE = 1500;

    /** Elements in whose text references are evaluated; inside the others they are text. */
    private static final Set<String> INTERPOLATED =
            Set.of(
                    "assign",
                    "attempt",
                    "except",
                    "foreach",
                    "function",
                    "otherwise",
                    "replace",
                    "vars",
                    "when");

    private static final Pattern INLINED = Pattern.compile("\\[(?=[\\[(])");

    private final String element;

    EsiElementProcessor(String prefix, String element) {
        super(TemplateMode.HTML, prefix, element, true, null, false, PRECEDENCE);
        this.element = element;
    }

    @Override
    protected void doProcess(
            ITemplateContext context, IModel model, IElementModelStructureHandler structure) {
        var tags = tags(context);
        var attributes = attributes((IProcessableElementTag) model.get(0));
        if (model.size() == 1) {
            model.replace(0, text(context, tags.empty(element, attributes)));
            return;
        }
        structure.setLocalVariable(EsiTextProcessor.INTERPOLATED, INTERPOLATED.contains(element));
        model.replace(0, text(context, tags.start(element, attributes)));
        if (model.get(model.size() - 1) instanceof ICloseElementTag) {
            model.replace(model.size() - 1, text(context, tags.end(element)));
        }
    }

    /** What {@code tag} says, but for declarations of namespaces. */
    private static Map<String, String> attributes(IProcessableElementTag tag) {
        var attributes = new LinkedHashMap<String, String>();
        for (var attribute : tag.getAllAttributes()) {
            if (!attribute.getAttributeCompleteName().startsWith("xmlns")) {
                var value = attribute.getValue() == null ? "" : attribute.getValue();
                attributes.put(
                        attribute.getAttributeCompleteName(),
                        EscapedAttributeUtils.unescapeAttribute(TemplateMode.HTML, value));
            }
        }
        return attributes;
    }

    /**
     * {@code markup} as a piece of a template. Thymeleaf reads such a piece once more, and would
     * evaluate an expression in double brackets there, even one that a user has written.
     */
    static IText text(ITemplateContext context, String markup) {
        return context.getModelFactory().createText(INLINED.matcher(markup).replaceAll("&#91;"));
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
