package dev.quire.spring.internal.view;

import dev.quire.spring.Esi;
import dev.quire.spring.internal.stamp.TagWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.thymeleaf.context.ITemplateContext;
import org.thymeleaf.exceptions.TemplateProcessingException;
import org.thymeleaf.model.ICloseElementTag;
import org.thymeleaf.model.IModel;
import org.thymeleaf.model.IOpenElementTag;
import org.thymeleaf.model.IProcessableElementTag;
import org.thymeleaf.model.IStandaloneElementTag;
import org.thymeleaf.model.ITemplateEvent;
import org.thymeleaf.processor.element.AbstractElementModelProcessor;
import org.thymeleaf.processor.element.IElementModelStructureHandler;
import org.thymeleaf.standard.expression.StandardExpressions;
import org.thymeleaf.templatemode.TemplateMode;
import org.thymeleaf.util.EscapedAttributeUtils;
import org.unbescape.html.HtmlEscape;

/**
 * {@code <esi:include>} in a template. {@code esi:src} and {@code esi:alt} are expressions, and so
 * is {@code esi:fallback}, text used when both fail; other attributes are copied unchanged. Inside
 * the element only permitted children remain, such as {@code <esi:param>}.
 */
final class IncludeTagProcessor extends AbstractElementModelProcessor {

    /** After Thymeleaf's own attributes, such as th:if, th:each and th:attr. */
    private static final int PRECEDENCE = 1500;

    private static final Set<String> OURS =
            Set.of("src", "esi:src", "alt", "esi:alt", "onerror", "esi:fallback");

    private static final Pattern OTHERS =
            Pattern.compile(
                    "dca|entity|escape|fragment|max-age|maxwait|method|no-store|primary|redirect|select|timeout|ttl"
                            + "|(set|append|remove)header(s|[0-9]+)?");

    private static final Set<String> CHILDREN =
            Set.of("esi:param", "esi:replace", "esi:request_body", "esi:request_header");

    IncludeTagProcessor(String prefix) {
        super(TemplateMode.HTML, prefix, "include", true, null, false, PRECEDENCE);
    }

    @Override
    protected void doProcess(
            ITemplateContext context, IModel model, IElementModelStructureHandler structure) {
        var tag = (IProcessableElementTag) model.get(0);
        var tags = EsiElementProcessor.tags(context);
        var attributes = attributes(context, tag);
        keepChildren(model);
        var fallback = expression(context, tag, "fallback");
        if (fallback != null) {
            // the failure must trigger the fallback
            attributes.remove("onerror");
        }
        var opening = fallback == null ? "" : opened(tags, "try", "attempt");
        var closing =
                fallback == null
                        ? ""
                        : tags.end("attempt")
                                + opened(tags, "except")
                                + HtmlEscape.escapeHtml5Xml(fallback)
                                + tags.end("except")
                                + tags.end("try");
        if (model.size() == 0) {
            model.add(
                    EsiElementProcessor.text(
                            context, opening + tags.empty("include", attributes) + closing));
        } else {
            model.insert(
                    0,
                    EsiElementProcessor.text(context, opening + tags.start("include", attributes)));
            model.add(EsiElementProcessor.text(context, tags.end("include") + closing));
        }
        structure.setLocalVariable(EsiTextProcessor.INTERPOLATED, false);
    }

    private static String opened(TagWriter tags, String... elements) {
        return Arrays.stream(elements)
                .map(element -> tags.start(element, Map.of()))
                .collect(Collectors.joining());
    }

    private static Map<String, String> attributes(
            ITemplateContext context, IProcessableElementTag tag) {
        var attributes = new LinkedHashMap<String, String>();
        var src = url(context, tag, "src");
        if (src == null) {
            throw new TemplateProcessingException("esi:include needs src or esi:src");
        }
        attributes.put("src", src);
        var alt = url(context, tag, "alt");
        if (alt != null) {
            attributes.put("alt", alt);
        }
        switch (tag.getAttributeValue("onerror")) {
            case null -> {}
            case "continue", "fail" -> attributes.put("onerror", tag.getAttributeValue("onerror"));
            case String other ->
                    throw new TemplateProcessingException(
                            "onerror=\"%s\" of esi:include is not valid (expected continue or fail)"
                                    .formatted(other));
        }
        addOthers(context, tag, attributes);
        return attributes;
    }

    /** Removes everything from {@code model} except the elements permitted in an include. */
    private static void keepChildren(IModel model) {
        model.remove(0);
        if (model.size() > 0) {
            model.remove(model.size() - 1);
        }
        int depth = 0;
        int at = 0;
        while (at < model.size()) {
            var event = model.get(at);
            boolean kept = depth > 0 || isChild(event);
            if (kept) {
                at++;
            } else {
                model.remove(at);
            }
            if (kept && event instanceof IOpenElementTag) {
                depth++;
            } else if (depth > 0 && event instanceof ICloseElementTag) {
                depth--;
            }
        }
    }

    private static boolean isChild(ITemplateEvent event) {
        return switch (event) {
            case IOpenElementTag tag -> CHILDREN.contains(tag.getElementCompleteName());
            case IStandaloneElementTag tag -> CHILDREN.contains(tag.getElementCompleteName());
            default -> false;
        };
    }

    private static void addOthers(
            ITemplateContext context, IProcessableElementTag tag, Map<String, String> attributes) {
        for (var attribute : tag.getAllAttributes()) {
            var name = attribute.getAttributeCompleteName();
            if (OURS.contains(name)) {
                continue;
            }
            if (!OTHERS.matcher(name).matches()) {
                throw new TemplateProcessingException(
                        "esi:include has no attribute %s (expected src, esi:src, alt, esi:alt, onerror or another ESI attribute)"
                                .formatted(name));
            }
            var written = attribute.getValue() == null ? "" : attribute.getValue();
            var value = EscapedAttributeUtils.unescapeAttribute(TemplateMode.HTML, written);
            if (value.indexOf('$') >= 0 && !AuthorsAttributes.have(context, attribute)) {
                throw new TemplateProcessingException(
                        "%s of esi:include comes from an expression and contains a dollar sign, which would be evaluated during assembly (expected no dollar sign, or a literal value in the template)"
                                .formatted(name));
            }
            attributes.put(name, value);
        }
    }

    /**
     * Returns a URL attribute of the tag, or null if it is absent. An expression may contain user
     * input, so references in its value are encoded, in {@code esi:src} as well as {@code th:attr};
     * a literal in the template is trusted.
     */
    private static @Nullable String url(
            ITemplateContext context, IProcessableElementTag tag, String name) {
        var value = expression(context, tag, name);
        if (value != null) {
            return Esi.url(name, value);
        }
        var attribute = tag.getAttribute(name);
        if (attribute == null) {
            return null;
        }
        var written = attribute.getValue() == null ? "" : attribute.getValue();
        var literal = EscapedAttributeUtils.unescapeAttribute(TemplateMode.HTML, written);
        return AuthorsAttributes.have(context, attribute)
                ? Esi.literalUrl(name, literal)
                : Esi.url(name, literal);
    }

    /**
     * Returns the value of the expression in the attribute {@code esi:name}, or null if it is
     * absent.
     */
    private static @Nullable String expression(
            ITemplateContext context, IProcessableElementTag tag, String name) {
        var expression = tag.getAttributeValue("esi", name);
        if (expression == null) {
            return null;
        }
        var parsed =
                StandardExpressions.getExpressionParser(context.getConfiguration())
                        .parseExpression(
                                context,
                                EscapedAttributeUtils.unescapeAttribute(
                                        TemplateMode.HTML, expression));
        // a link expression makes the container encode the URL, which may add a session id
        var exchange = EsiElementProcessor.exchange(context);
        if (exchange != null) {
            exchange.wantPlainUrls(true);
        }
        try {
            var value = parsed.execute(context);
            if (value == null) {
                throw new TemplateProcessingException(
                        "esi:%s=\"%s\" is null (expected a value)".formatted(name, expression));
            }
            return value.toString();
        } finally {
            if (exchange != null) {
                exchange.wantPlainUrls(false);
            }
        }
    }
}
