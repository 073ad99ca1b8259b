package dev.quire.spring;

import java.util.Set;
import org.thymeleaf.dialect.AbstractProcessorDialect;
import org.thymeleaf.processor.IProcessor;
import org.thymeleaf.standard.StandardDialect;
import org.thymeleaf.standard.processor.StandardXmlNsTagProcessor;
import org.thymeleaf.templatemode.TemplateMode;

/**
 * Thymeleaf's {@code esi} dialect: {@code <esi:include esi:src="@{/live(region=${r})}"/>}, in the
 * namespace {@code https://quire.dev/esi}.
 */
public final class EsiDialect extends AbstractProcessorDialect {

    /** The dialect; it has no state. */
    public EsiDialect() {
        super("ESI", "esi", StandardDialect.PROCESSOR_PRECEDENCE);
    }

    @Override
    public Set<IProcessor> getProcessors(String dialectPrefix) {
        return Set.of(
                new IncludeTagProcessor(dialectPrefix),
                new StandardXmlNsTagProcessor(TemplateMode.HTML, dialectPrefix));
    }
}
