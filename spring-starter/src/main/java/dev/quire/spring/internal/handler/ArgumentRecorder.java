package dev.quire.spring.internal.handler;

import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.CompositeUriComponentsContributor;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolverComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.method.support.UriComponentsContributor;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Wraps Spring's argument resolvers and records the arguments that tags use: Spring MVC exposes a
 * handler's arguments nowhere else.
 */
public final class ArgumentRecorder
        implements HandlerMethodArgumentResolver, UriComponentsContributor {

    private final HandlerMethodArgumentResolverComposite resolvers =
            new HandlerMethodArgumentResolverComposite();
    private final UriComponentsContributor contributors;

    private ArgumentRecorder(List<HandlerMethodArgumentResolver> resolvers) {
        this.resolvers.addResolvers(resolvers);
        this.contributors = new CompositeUriComponentsContributor(resolvers);
    }

    /** Installs a recorder of arguments, and one of results, in every handler adapter. */
    public static BeanPostProcessor installer() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String beanName) {
                if (bean instanceof RequestMappingHandlerAdapter adapter) {
                    var resolvers = adapter.getArgumentResolvers();
                    if (resolvers != null) {
                        adapter.setArgumentResolvers(List.of(new ArgumentRecorder(resolvers)));
                    }
                    var handlers = adapter.getReturnValueHandlers();
                    if (handlers != null) {
                        adapter.setReturnValueHandlers(List.of(new ResultRecorder(handlers)));
                    }
                }
                return bean;
            }
        };
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return resolvers.supportsParameter(parameter);
    }

    @Override
    public @Nullable Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer model,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders)
            throws Exception {
        var argument = resolvers.resolveArgument(parameter, model, request, binders);
        var servletRequest = request.getNativeRequest(HttpServletRequest.class);
        var exchange = servletRequest == null ? null : GuardedExchange.ofWhole(servletRequest);
        var name = parameter.getParameterName();
        if (exchange != null && name != null) {
            exchange.argument(name, argument);
        }
        return argument;
    }

    /** Links to handlers are built with the same resolvers. */
    @Override
    public void contributeMethodArgument(
            MethodParameter parameter,
            Object value,
            UriComponentsBuilder builder,
            Map<String, Object> variables,
            ConversionService conversion) {
        contributors.contributeMethodArgument(parameter, value, builder, variables, conversion);
    }
}
