package dev.quire.test.spring;

import dev.quire.test.internal.AssemblyRecorder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Adds a surrogate client, an observer and a filter to the context of a test annotated {@link
 * AutoConfigureEsi}.
 */
final class EsiContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> type, List<ContextConfigurationAttributes> attributes) {
        if (!TestContextAnnotationUtils.hasAnnotation(type, AutoConfigureEsi.class)) {
            return null;
        }
        if (!ClassUtils.isPresent(
                "dev.quire.spring.invalidate.SurrogateClient", type.getClassLoader())) {
            throw new IllegalStateException(
                    "@AutoConfigureEsi on %s needs the starter (add dev.quire:quire-spring-boot-starter to the dependencies; to do without, take the annotation away and open the site by hand: @TestedSite static EsiSite site() { return MockMvcSite.over(...) or EsiSite.over(URI); })"
                            .formatted(type.getName()));
        }
        return new Customizer();
    }

    /** All instances are equal, so that tests share a context. */
    private record Customizer() implements ContextCustomizer {

        @Override
        public void customizeContext(
                ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            TestPropertyValues.of("quire.surrogate.urls=").applyTo(context);
            var beans = (BeanDefinitionRegistry) context.getBeanFactory();
            beans.registerBeanDefinition(
                    "recordingSurrogateClient",
                    new RootBeanDefinition(RecordingSurrogateClient.class));
            beans.registerBeanDefinition(
                    "assemblyRecorder", new RootBeanDefinition(AssemblyRecorder.class));
            beans.registerBeanDefinition(
                    "fieldRecorder", new RootBeanDefinition(FieldRecorder.class));
        }
    }
}
