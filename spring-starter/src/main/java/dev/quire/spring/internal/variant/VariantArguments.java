package dev.quire.spring.internal.variant;

import dev.quire.spring.EsiVariant;
import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Resolves the {@link EsiVariant} arguments of handlers. */
public final class VariantArguments implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(EsiVariant.class)
                && parameter.getParameterType() == String.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer model,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        var annotation = parameter.getParameterAnnotation(EsiVariant.class);
        var name = annotation == null ? "" : annotation.value();
        var servlet = request.getNativeRequest(ServletRequest.class);
        var exchange = servlet == null ? null : GuardedExchange.of(servlet);
        var value =
                exchange == null
                        ? null
                        : exchange.variant().map(choice -> choice.values().get(name)).orElse(null);
        if (value == null) {
            throw new IllegalStateException(
                    "%s uses the variant '%s', which it does not declare (expected @EsiFragment(vary = \"%s\"))"
                            .formatted(parameter.getMethod(), name, name));
        }
        return value;
    }
}
