package dev.quire.spring;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.context.IWebContext;
import org.thymeleaf.exceptions.TemplateProcessingException;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.processor.element.AbstractElementTagProcessor;
import org.thymeleaf.processor.element.IElementTagStructureHandler;
import org.thymeleaf.standard.expression.StandardExpressions;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * {@code <esi:include>} in a template: {@code esi:src} and {@code esi:alt} are expressions, {@code
 * src} and {@code alt} are taken as they stand. What was inside the element is dropped.
 */
final class IncludeTagProcessor extends AbstractElementTagProcessor {

    /**
     * After Thymeleaf's own attributes, so that th:if, th:each and th:attr have done their work.
     */
    private static final int PRECEDENCE = 1500;

    private static final Set<String> ATTRIBUTES =
            Set.of("src", "esi:src", "alt", "esi:alt", "onerror");

    IncludeTagProcessor(String prefix) {
        super(TemplateMode.HTML, prefix, "include", true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context,
            IProcessableElementTag tag,
            IElementTagStructureHandler structure) {
        for (var attribute : tag.getAllAttributes()) {
            if (!ATTRIBUTES.contains(attribute.getAttributeCompleteName())) {
                throw new TemplateProcessingException(
                        "esi:include has no attribute %s (expected src, esi:src, alt, esi:alt, onerror)"
                                .formatted(attribute.getAttributeCompleteName()));
            }
        }
        var exchange =
                context instanceof IWebContext web
                                && web.getExchange().getAttributeValue(Exchange.ATTRIBUTE)
                                        instanceof Exchange known
                        ? known
                        : null;
        var src = url(context, tag, "src", exchange);
        if (src == null) {
            throw new TemplateProcessingException("esi:include needs src or esi:src");
        }
        var include = Esi.include(src).onError(onError(tag.getAttributeValue("onerror")));
        var alt = url(context, tag, "alt", exchange);
        if (alt != null) {
            include = include.alt(alt);
        }
        if (exchange != null) {
            exchange.tagWritten();
        }
        structure.replaceWith(include.html(), false);
    }

    private static @Nullable String url(
            ITemplateContext context,
            IProcessableElementTag tag,
            String name,
            @Nullable Exchange exchange) {
        var expression = tag.getAttributeValue("esi", name);
        if (expression == null) {
            return tag.getAttributeValue(name);
        }
        var parsed =
                StandardExpressions.getExpressionParser(context.getConfiguration())
                        .parseExpression(context, expression);
        // a link expression asks the container to encode the URL, which may add a session id
        if (exchange != null) {
            exchange.wantPlainUrls(true);
        }
        try {
            var value = parsed.execute(context);
            if (value == null) {
                throw new TemplateProcessingException(
                        "esi:%s=\"%s\" is null (expected a URL)".formatted(name, expression));
            }
            return value.toString();
        } finally {
            if (exchange != null) {
                exchange.wantPlainUrls(false);
            }
        }
    }

    private static OnError onError(@Nullable String text) {
        if (text == null) {
            return OnError.PAGE_POLICY;
        }
        if (text.equals("continue")) {
            return OnError.CONTINUE;
        }
        throw new TemplateProcessingException(
                "onerror=\"%s\" of esi:include means nothing (expected continue)".formatted(text));
    }
}
