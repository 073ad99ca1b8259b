package dev.quire.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Adapts the filter chains of Spring Security to fragments. */
@AutoConfiguration(after = QuireVariantsAutoConfiguration.class)
@ConditionalOnClass({HttpSecurity.class, CsrfFilter.class})
@ConditionalOnBean(SurrogateFilter.class)
@EnableConfigurationProperties({CsrfFragmentProperties.class, FragmentSecurityProperties.class})
public final class QuireSecurityFilterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    EsiSecurity esiSecurity(
            ObjectProvider<FragmentPolicies> policies,
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            VariantCookie cookie,
            CsrfFragmentProperties csrf) {
        return new EsiSecurity(new FragmentRequests(policies, mappings), cookie, csrf);
    }

    @Bean
    @ConditionalOnMissingBean(name = "esiSecurityCustomizer")
    @ConditionalOnBooleanProperty(name = "quire.security.enabled", matchIfMissing = true)
    Customizer<HttpSecurity> esiSecurityCustomizer(EsiSecurity security) {
        return security.fragments();
    }
}
