package dev.quire.spring.internal.handler;

import dev.quire.spring.EsiRequest;
import dev.quire.spring.EsiResponse;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.ResponseTerms;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Resolves {@link EsiRequest} and {@link EsiResponse} arguments of handlers and exception handlers.
 */
public final class EsiArguments implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        var type = parameter.getParameterType();
        return type == EsiRequest.class || type == EsiResponse.class;
    }

    @Override
    public Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer model,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders) {
        var servlet = request.getNativeRequest(HttpServletRequest.class);
        if (servlet == null) {
            throw new IllegalStateException("expected a servlet request, found " + request);
        }
        if (parameter.getParameterType() == EsiRequest.class) {
            return EsiRequest.of(servlet);
        }
        var handled = handled(request, servlet);
        var exchange = GuardedExchange.of(servlet);
        if (exchange == null) {
            return new ResponseTerms(handled, null);
        }
        var terms = exchange.terms(() -> handled);
        terms.handledAs(handled);
        if (parameter.hasMethodAnnotation(ExceptionHandler.class)) {
            terms.aboutFailure();
        }
        return terms;
    }

    private static ServletWebRequest handled(NativeWebRequest request, HttpServletRequest servlet) {
        return request instanceof ServletWebRequest handled
                ? handled
                : new ServletWebRequest(
                        servlet, request.getNativeResponse(HttpServletResponse.class));
    }
}
