package dev.quire.war;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.boot.web.servlet.support.SpringBootServletInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/** The application that the container starts. */
@SpringBootApplication(proxyBeanMethods = false)
public class Application extends SpringBootServletInitializer {

    @Override
    protected SpringApplicationBuilder configure(SpringApplicationBuilder builder) {
        return builder.sources(Application.class);
    }

    @Bean
    ServletRegistrationBean<BarePage> barePage() {
        return new ServletRegistrationBean<>(new BarePage(), "/page/servlet");
    }

    @Bean
    FilterRegistrationBean<ShallowEtagHeaderFilter> etags() {
        var registration = new FilterRegistrationBean<>(new ShallowEtagHeaderFilter());
        registration.addUrlPatterns("/page/*");
        return registration;
    }

    @Bean
    FilterRegistrationBean<Gate> gate() {
        var registration = new FilterRegistrationBean<>(new Gate());
        registration.addUrlPatterns("/page/*", "/gate/*");
        return registration;
    }
}
