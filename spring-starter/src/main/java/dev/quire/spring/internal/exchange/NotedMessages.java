package dev.quire.spring.internal.exchange;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.HierarchicalMessageSource;
import org.springframework.context.MessageSource;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.context.NoSuchMessageException;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Records in the current exchange that a message in the reader's language was asked for. */
public record NotedMessages(MessageSource messages) implements HierarchicalMessageSource {

    /**
     * Wraps the message source of the application, for view engines other than Thymeleaf. One that
     * is declared with a class as its type stays as it is, since it may be injected by that type.
     */
    public static BeanPostProcessor installer(ConfigurableListableBeanFactory beans) {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return name.equals(AbstractApplicationContext.MESSAGE_SOURCE_BEAN_NAME)
                                && bean instanceof MessageSource messages
                                && isDeclaredAsInterface(beans, name)
                        ? new NotedMessages(messages)
                        : bean;
            }
        };
    }

    private static boolean isDeclaredAsInterface(
            ConfigurableListableBeanFactory beans, String name) {
        var type =
                beans.containsBeanDefinition(name)
                        ? beans.getMergedBeanDefinition(name).getResolvableType().resolve()
                        : null;
        return type == MessageSource.class || type == HierarchicalMessageSource.class;
    }

    private static void asked(String what, @Nullable Locale locale) {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            asked(what, locale, known.getRequest());
        }
    }

    private static void asked(String what, @Nullable Locale locale, HttpServletRequest request) {
        var exchange = GuardedExchange.of(request);
        if (exchange != null
                && exchange.countsLanguage()
                && (locale == null || exchange.languageReads().isReaders(locale, request))) {
            exchange.languageAsked(what);
        }
    }

    private static String what(String code) {
        return "the message " + code;
    }

    @Override
    public @Nullable String getMessage(
            String code,
            Object @Nullable [] arguments,
            @Nullable String fallback,
            @Nullable Locale locale) {
        asked(what(code), locale);
        return messages.getMessage(code, arguments, fallback, locale);
    }

    @Override
    public String getMessage(String code, Object @Nullable [] arguments, @Nullable Locale locale)
            throws NoSuchMessageException {
        asked(what(code), locale);
        return messages.getMessage(code, arguments, locale);
    }

    @Override
    public String getMessage(MessageSourceResolvable resolvable, @Nullable Locale locale)
            throws NoSuchMessageException {
        var codes = resolvable.getCodes();
        asked(codes == null || codes.length == 0 ? "a message" : what(codes[0]), locale);
        return messages.getMessage(resolvable, locale);
    }

    @Override
    public void setParentMessageSource(@Nullable MessageSource parent) {
        if (messages instanceof HierarchicalMessageSource hierarchical) {
            hierarchical.setParentMessageSource(parent);
        }
    }

    @Override
    public @Nullable MessageSource getParentMessageSource() {
        return messages instanceof HierarchicalMessageSource hierarchical
                ? hierarchical.getParentMessageSource()
                : null;
    }
}
