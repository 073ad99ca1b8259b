package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.EsiSecurity;
import dev.quire.spring.VariantResolver;
import dev.quire.spring.internal.exchange.SecurityWatch;
import dev.quire.spring.internal.guard.SurrogateFilter;
import dev.quire.spring.internal.handler.FragmentPolicies;
import dev.quire.spring.internal.handler.FragmentRequests;
import dev.quire.spring.internal.security.FragmentChains;
import dev.quire.spring.internal.security.SpringSecurityWatch;
import dev.quire.spring.internal.settings.CsrfFragmentProperties;
import dev.quire.spring.internal.settings.FragmentSecurityProperties;
import dev.quire.spring.internal.settings.VariantsProperties;
import dev.quire.spring.internal.variant.LoginVariant;
import dev.quire.spring.internal.variant.RoleVariant;
import dev.quire.spring.internal.variant.VariantCookie;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.web.csrf.CsrfFilter;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The guard's detection of users and CSRF tokens, the login and role variants, and filter chains
 * for fragments, if Spring Security is present.
 */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnClass({SecurityContextHolder.class, CsrfToken.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBooleanProperty(name = "quire.enabled", matchIfMissing = true)
@EnableConfigurationProperties(VariantsProperties.class)
public final class QuireSecurityAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(SecurityWatch.class)
    SpringSecurityWatch securityWatch(ListableBeanFactory beans) {
        return new SpringSecurityWatch(
                () -> beans.getBeansOfType(SecurityContextHolderStrategy.class));
    }

    @Bean
    @ConditionalOnMissingBean(name = "loginVariant")
    VariantResolver loginVariant() {
        return new LoginVariant();
    }

    @Bean
    @ConditionalOnMissingBean(name = "roleVariant")
    VariantResolver roleVariant(VariantsProperties properties) {
        return new RoleVariant(properties.roles());
    }

    /** Adapts the filter chains of Spring Security to fragments. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HttpSecurity.class, CsrfFilter.class})
    @ConditionalOnBean(SurrogateFilter.class)
    @EnableConfigurationProperties({CsrfFragmentProperties.class, FragmentSecurityProperties.class})
    static final class FilterChainConfiguration {

        @Bean
        @ConditionalOnMissingBean
        EsiSecurity esiSecurity(
                ObjectProvider<FragmentPolicies> policies,
                ObjectProvider<RequestMappingHandlerMapping> mappings,
                VariantCookie cookie,
                CsrfFragmentProperties csrf) {
            return new EsiSecurity(
                    new FragmentChains(new FragmentRequests(policies, mappings), cookie, csrf));
        }

        @Bean
        @ConditionalOnMissingBean(name = "esiSecurityCustomizer")
        @ConditionalOnBooleanProperty(name = "quire.security.enabled", matchIfMissing = true)
        Customizer<HttpSecurity> esiSecurityCustomizer(EsiSecurity security) {
            return security.fragments();
        }
    }
}
