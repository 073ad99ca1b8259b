package dev.quire.spring;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.thymeleaf.dialect.AbstractProcessorDialect;
import org.thymeleaf.processor.IProcessor;
import org.thymeleaf.standard.StandardDialect;
import org.thymeleaf.standard.processor.StandardXmlNsTagProcessor;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Thymeleaf's {@code esi} dialect: {@code <esi:include esi:src="@{/live(region=${r})}"/>}, in the
 * namespace {@code https://quire.dev/esi}. Every element of the language that stands in a template
 * is stamped, and so are the references in the template's own text; what expressions write is not,
 * so that tags in a user's text stay text.
 */
public final class EsiDialect extends AbstractProcessorDialect {

    private static final List<String> ELEMENTS =
            List.of(
                    "assign",
                    "attempt",
                    "break",
                    "choose",
                    "comment",
                    "cookie",
                    "debug",
                    "environment",
                    "eval",
                    "except",
                    "foreach",
                    "fragment",
                    "function",
                    "inline",
                    "invalidate",
                    "log",
                    "otherwise",
                    "param",
                    "redirect",
                    "remove",
                    "replace",
                    "request_body",
                    "request_header",
                    "return",
                    "special-include",
                    "text",
                    "try",
                    "vars",
                    "when");

    /** The dialect; it has no state. */
    public EsiDialect() {
        super("ESI", "esi", StandardDialect.PROCESSOR_PRECEDENCE);
    }

    @Override
    public Set<IProcessor> getProcessors(String dialectPrefix) {
        var processors = new HashSet<IProcessor>();
        processors.add(new AuthorsAttributes(dialectPrefix));
        processors.add(new IncludeTagProcessor(dialectPrefix));
        processors.add(new CsrfTagProcessor(dialectPrefix));
        for (var element : ELEMENTS) {
            processors.add(new EsiBodyProcessor(dialectPrefix, element));
            processors.add(new EsiElementProcessor(dialectPrefix, element));
        }
        processors.add(new EsiTextProcessor());
        processors.add(new EsiCommentProcessor());
        processors.add(new StandardXmlNsTagProcessor(TemplateMode.HTML, dialectPrefix));
        return processors;
    }
}
