package dev.quire.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.DispatcherServlet;

/** An application whose threads inherit the language of the request that starts them. */
@SpringBootTest(
        classes = InheritedLanguageTest.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "quire.guard.locale=vary")
class InheritedLanguageTest {

    @LocalServerPort private int port;

    @Test
    void aChildThreadHasTheLanguageOfTheReaderAndTheResponseVariesByIt() {
        for (var language : new String[] {"ko", "fr"}) {
            var response =
                    Visitor.of(port)
                            .behindSurrogate()
                            .with("Accept-Language", language)
                            .get("/child");

            assertThat(response.body()).isEqualTo(language);
            assertThat(response.headers().allValues("Vary")).contains("Accept-Language");
            assertThat(response.headers().firstValue("Surrogate-Control")).hasValue("max-age=40");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Readers.class, Application.Pages.class})
    static class Application {

        @Bean
        static BeanPostProcessor inheritance() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessBeforeInitialization(Object bean, String name) {
                    if (bean instanceof DispatcherServlet servlet) {
                        servlet.setThreadContextInheritable(true);
                    }
                    return bean;
                }
            };
        }

        @RestController
        static class Pages {

            @GetMapping("/child")
            @EsiFragment(ttl = "40s")
            String child() {
                return CompletableFuture.supplyAsync(
                                () -> LocaleContextHolder.getLocale().toLanguageTag(),
                                Thread.ofPlatform()::start)
                        .join();
            }
        }
    }
}
