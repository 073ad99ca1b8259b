package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.exchange.FragmentMarkers;
import dev.quire.spring.internal.exchange.GuardHits;
import dev.quire.spring.internal.handler.FragmentCatalogue;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.FragmentPolicies;
import dev.quire.spring.internal.handler.FragmentTable;
import dev.quire.spring.internal.handler.PathRules;
import dev.quire.spring.internal.settings.QuireProperties;
import dev.quire.spring.internal.view.CommentMarkers;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Development aids. */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnBean(FragmentPolicies.class)
@ConditionalOnBooleanProperty("quire.dev.enabled")
public final class QuireDevAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(QuireDevAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    FragmentCatalogue fragmentCatalogue(
            FragmentHandlers handlers, QuireProperties properties, GuardHits hits) {
        return new FragmentCatalogue(handlers, PathRules.of(properties.rules()), hits);
    }

    @Bean
    @ConditionalOnMissingBean(name = "fragmentCatalogueMapping")
    SimpleUrlHandlerMapping fragmentCatalogueMapping(FragmentCatalogue catalogue) {
        return new SimpleUrlHandlerMapping(
                Map.of(FragmentCatalogue.PATH, catalogue), Ordered.HIGHEST_PRECEDENCE);
    }

    @Bean
    @ConditionalOnMissingBean(name = "fragmentTable")
    ApplicationListener<ApplicationReadyEvent> fragmentTable(FragmentHandlers handlers) {
        return ready -> log.info("{}", FragmentTable.of(handlers.mapped()));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnBooleanProperty("quire.dev.markers")
    FragmentMarkers fragmentMarkers() {
        return new CommentMarkers();
    }
}
