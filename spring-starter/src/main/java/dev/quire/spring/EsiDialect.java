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
 * namespace {@code https://quire.dev/esi}. The other elements of the language stay as they are.
 */
public final class EsiDialect extends AbstractProcessorDialect {

    /** What may stand in a page by itself; anything else stands inside one of these. */
    private static final List<String> ELEMENTS =
            List.of(
                    "assign",
                    "choose",
                    "comment",
                    "eval",
                    "foreach",
                    "fragment",
                    "function",
                    "inline",
                    "remove",
                    "text",
                    "try",
                    "vars");

    /** The dialect; it has no state. */
    public EsiDialect() {
        super("ESI", "esi", StandardDialect.PROCESSOR_PRECEDENCE);
    }

    @Override
    public Set<IProcessor> getProcessors(String dialectPrefix) {
        var processors = new HashSet<IProcessor>();
        processors.add(new IncludeTagProcessor(dialectPrefix));
        processors.add(new CsrfTagProcessor(dialectPrefix));
        for (var element : ELEMENTS) {
            processors.add(new EsiElementProcessor(dialectPrefix, element));
        }
        processors.add(new StandardXmlNsTagProcessor(TemplateMode.HTML, dialectPrefix));
        return processors;
    }
}
