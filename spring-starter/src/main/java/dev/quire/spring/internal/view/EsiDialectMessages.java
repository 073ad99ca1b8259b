package dev.quire.spring.internal.view;

import dev.quire.spring.internal.exchange.NotedMessages;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.MessageSource;
import org.thymeleaf.spring6.SpringTemplateEngine;

/**
 * Records the templates of Thymeleaf that ask for a message in the reader's language, whatever the
 * type of the message source.
 *
 * @param messages the messages of the application
 */
public record EsiDialectMessages(MessageSource messages) implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof SpringTemplateEngine engine && !engine.isInitialized()) {
            engine.setMessageSource(new NotedMessages(messages));
        }
        return bean;
    }
}
