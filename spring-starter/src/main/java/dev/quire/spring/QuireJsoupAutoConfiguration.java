package dev.quire.spring;

import org.jsoup.Jsoup;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** {@code select} on includes, if jsoup is present. */
@AutoConfiguration(before = QuireAutoConfiguration.class)
@ConditionalOnClass(Jsoup.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
public final class QuireJsoupAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    FragmentSelection selection() {
        return new JsoupSelection();
    }
}
