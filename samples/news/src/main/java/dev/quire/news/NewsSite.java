package dev.quire.news;

import dev.quire.news.place.Atlas;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The election-night news site. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
@EnableScheduling
@EnableCaching
public class NewsSite {
    public static void main(String[] args) {
        SpringApplication.run(NewsSite.class, args);
    }

    @Bean
    Atlas atlas() {
        return Atlas.load();
    }
}
