package dev.quire.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Metrics of the guard, read on demand. */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(GuardHits.class)
public final class QuireMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "guardMeters")
    MeterBinder guardMeters(GuardHits hits) {
        return registry -> {
            for (var reason : Demotion.values()) {
                FunctionCounter.builder("quire.guard.demotions", hits, of -> of.total(reason))
                        .description("responses declared public that the guard made private")
                        .tag("reason", reason.token())
                        .register(registry);
            }
        };
    }
}
