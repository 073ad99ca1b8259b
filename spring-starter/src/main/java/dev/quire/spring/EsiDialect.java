package dev.quire.spring;

import dev.quire.core.parse.EsiParser;
import java.util.HashSet;
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
        for (var element : EsiParser.elements()) {
            if (!element.equals("include")) {
                processors.add(new EsiBodyProcessor(dialectPrefix, element));
                processors.add(new EsiElementProcessor(dialectPrefix, element));
            }
        }
        processors.add(new EsiTextProcessor());
        processors.add(new EsiCommentProcessor());
        processors.add(new StandardXmlNsTagProcessor(TemplateMode.HTML, dialectPrefix));
        return processors;
    }
}
