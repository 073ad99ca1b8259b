package dev.quire.spring.internal.view;

import dev.quire.spring.Esi;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.stamp.TagWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.context.IWebContext;
import org.thymeleaf.exceptions.TemplateProcessingException;
import org.thymeleaf.model.ICloseElementTag;
import org.thymeleaf.model.IModel;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.model.IText;
import org.thymeleaf.processor.element.AbstractElementModelProcessor;
import org.thymeleaf.processor.element.IElementModelStructureHandler;
import org.thymeleaf.templatemode.TemplateMode;
import org.thymeleaf.util.EscapedAttributeUtils;
import org.unbescape.html.HtmlEscape;

/**
 * An ESI element in a template, other than an include: its tags are stamped. Its attributes are
 * copied unchanged if the template has them literally; a value from an expression becomes a
 * literal.
 */
final class EsiElementProcessor extends AbstractElementModelProcessor {

    /** After th:if, which may remove the element, and th:attr, which may change it. */
    private static final int PRECEDENCE = 1500;

    /** Elements in whose text references are evaluated; in other elements they are text. */
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

    /** Elements whose value is written into the page without escaping. */
    private static final Set<String> MARKUP = Set.of("assign", "return");

    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}._-]*");
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
        var attributes = attributes(context, (IProcessableElementTag) model.get(0));
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

    /** Returns the attributes of {@code tag} without namespace declarations. */
    private Map<String, String> attributes(ITemplateContext context, IProcessableElementTag tag) {
        var attributes = new LinkedHashMap<String, String>();
        for (var attribute : tag.getAllAttributes()) {
            if (!attribute.getAttributeCompleteName().startsWith("xmlns")) {
                var value = attribute.getValue() == null ? "" : attribute.getValue();
                var name = attribute.getAttributeCompleteName();
                var text = EscapedAttributeUtils.unescapeAttribute(TemplateMode.HTML, value);
                attributes.put(
                        name,
                        AuthorsAttributes.have(context, attribute) ? text : literal(name, text));
            }
        }
        return attributes;
    }

    /**
     * Returns a value from an expression so that nothing in it is evaluated during assembly. The
     * content of {@code assign} and {@code return} is written as markup later, so it is escaped.
     */
    private String literal(String attribute, String value) {
        if (attribute.equals("value") && MARKUP.contains(element)) {
            return Esi.literal(HtmlEscape.escapeHtml5Xml(value));
        }
        if (attribute.equals("value") || attribute.equals("collection")) {
            return Esi.literal(value);
        }
        if (attribute.equals("src")) {
            return Esi.url(attribute, value);
        }
        if (!PLAIN.matcher(value).matches()) {
            throw new TemplateProcessingException(
                    "%s of esi:%s comes from an expression and is not a plain word (expected letters, digits, dots, hyphens and underscores, or a literal value in the template)"
                            .formatted(attribute, element));
        }
        return value;
    }

    /**
     * Returns {@code markup} as a piece of a template. Thymeleaf parses such a piece again and
     * would evaluate an expression in double brackets there, even one from user input.
     */
    static IText text(ITemplateContext context, String markup) {
        return context.getModelFactory().createText(INLINED.matcher(markup).replaceAll("&#91;"));
    }

    /** Returns the tag writer of the response that a template is rendered for. */
    static TagWriter tags(ITemplateContext context) {
        return TagWriter.of(
                context instanceof IWebContext web
                        ? web.getExchange().getAttributeValue(TagWriter.ATTRIBUTE)
                        : null);
    }

    /**
     * Returns the exchange that a template is rendered for, or null if our filter did not see the
     * request.
     */
    static @Nullable GuardedExchange exchange(ITemplateContext context) {
        return context instanceof IWebContext web
                        && web.getExchange().getAttributeValue(GuardedExchange.ATTRIBUTE)
                                instanceof GuardedExchange known
                ? known
                : null;
    }
}
