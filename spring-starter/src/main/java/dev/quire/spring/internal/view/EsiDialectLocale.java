package dev.quire.spring.internal.view;

import dev.quire.spring.internal.exchange.GuardedExchange;
import java.util.Locale;
import java.util.Set;
import org.thymeleaf.context.IExpressionContext;
import org.thymeleaf.expression.IExpressionObjectFactory;

/** The object {@code #locale} of templates: records that it was asked for. */
final class EsiDialectLocale implements IExpressionObjectFactory {

    @Override
    public Set<String> getAllExpressionObjectNames() {
        return Set.of("locale");
    }

    @Override
    public Locale buildObject(IExpressionContext context, String name) {
        var exchange = GuardedExchange.current();
        if (exchange != null) {
            exchange.languageAsked("#" + name);
        }
        return context.getLocale();
    }

    @Override
    public boolean isCacheable(String name) {
        return true;
    }
}
