package dev.quire.spring.internal.view;

import dev.quire.core.parse.EsiParser;
import java.util.HashSet;
import java.util.Set;
import org.thymeleaf.dialect.AbstractProcessorDialect;
import org.thymeleaf.dialect.IExpressionObjectDialect;
import org.thymeleaf.expression.IExpressionObjectFactory;
import org.thymeleaf.processor.IProcessor;
import org.thymeleaf.standard.StandardDialect;
import org.thymeleaf.standard.processor.StandardXmlNsTagProcessor;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Thymeleaf's {@code esi} dialect: {@code <esi:include esi:src="@{/live(region=${r})}"/>}, in the
 * namespace {@code https://quire.dev/esi}. ESI elements and references in the template's own text
 * are stamped. The output of expressions is not, so that tags in user content stay text.
 */
public final class EsiDialect extends AbstractProcessorDialect implements IExpressionObjectDialect {

    /** Stateless. */
    public EsiDialect() {
        super("ESI", "esi", StandardDialect.PROCESSOR_PRECEDENCE);
    }

    /** Of several dialects that have an object of the same name, the last one makes it. */
    @Override
    public IExpressionObjectFactory getExpressionObjectFactory() {
        return new EsiDialectLocale();
    }

    @Override
    public Set<IProcessor> getProcessors(String dialectPrefix) {
        var processors = new HashSet<IProcessor>();
        processors.add(new IncludeTagProcessor(dialectPrefix));
        processors.add(new CsrfTagProcessor(dialectPrefix));
        for (var element : EsiParser.elements()) {
            processors.add(new AuthorsAttributes(dialectPrefix, element));
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
