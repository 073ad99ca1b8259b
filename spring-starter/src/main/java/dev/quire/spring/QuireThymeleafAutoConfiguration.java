package dev.quire.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.thymeleaf.dialect.AbstractProcessorDialect;

/** The esi dialect, if Thymeleaf is present. */
@AutoConfiguration(
        after = QuireAutoConfiguration.class,
        beforeName = "org.springframework.boot.thymeleaf.autoconfigure.ThymeleafAutoConfiguration")
@ConditionalOnClass(AbstractProcessorDialect.class)
@ConditionalOnBean(SurrogateFilter.class)
public final class QuireThymeleafAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EsiDialect esiDialect() {
        return new EsiDialect();
    }
}
