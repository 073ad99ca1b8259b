package dev.quire.spring.internal.handler;

import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpEntity;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Wraps Spring's return value handlers and records what a handler returns, for tags. For an entity
 * it is the body; for an asynchronous handler, the eventual result.
 */
final class ResultRecorder implements HandlerMethodReturnValueHandler {

    private final HandlerMethodReturnValueHandlerComposite handlers;

    ResultRecorder(List<HandlerMethodReturnValueHandler> handlers) {
        this.handlers = new HandlerMethodReturnValueHandlerComposite().addHandlers(handlers);
    }

    @Override
    public boolean supportsReturnType(MethodParameter returnType) {
        return handlers.supportsReturnType(returnType);
    }

    @Override
    public void handleReturnValue(
            @Nullable Object value,
            MethodParameter returnType,
            ModelAndViewContainer model,
            NativeWebRequest request)
            throws Exception {
        var servletRequest = request.getNativeRequest(HttpServletRequest.class);
        var exchange = servletRequest == null ? null : GuardedExchange.ofWhole(servletRequest);
        if (exchange != null) {
            // before writing, which may commit the response
            exchange.argument(
                    FragmentPolicies.RESULT,
                    value instanceof HttpEntity<?> entity ? entity.getBody() : value);
        }
        handlers.handleReturnValue(value, returnType, model, request);
    }
}
