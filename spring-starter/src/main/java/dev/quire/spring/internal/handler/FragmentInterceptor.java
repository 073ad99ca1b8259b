package dev.quire.spring.internal.handler;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.FragmentObserver;
import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.support.RequestContextUtils;

/** Reports to the exchange which handler runs, and when handler and view start and end. */
public record FragmentInterceptor(
        ObjectProvider<FragmentPolicies> policies, FragmentObserver observer)
        implements AsyncHandlerInterceptor {

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        var exchange = GuardedExchange.of(request);
        if (exchange != null && exchange.isBrokenOff()) {
            // the container includes its error page, which could complete the declared length
            return false;
        }
        if (exchange != null && isIncluded(request)) {
            if (handler instanceof HandlerMethod method) {
                exchange.includes(policies.getObject().of(method));
            }
        } else if (exchange != null) {
            if (handler instanceof HandlerMethod method) {
                exchange.handledBy(method, policies.getObject().of(method));
            }
            exchange.observedBy(observer);
            exchange.handlingBegins(isFromContainer(request));
            if (RequestContextUtils.getInputFlashMap(request) != null) {
                exchange.noticed(Demotion.FLASH_RECEIVED);
            }
        }
        return true;
    }

    @Override
    public void afterConcurrentHandlingStarted(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        ended(request);
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request,
            HttpServletResponse response,
            Object handler,
            @Nullable Exception exception) {
        ended(request);
    }

    private static void ended(HttpServletRequest request) {
        var exchange = GuardedExchange.of(request);
        if (exchange != null && !isIncluded(request)) {
            exchange.handlingEnds();
        }
    }

    /** Whether no servlet outside Spring has had the request before. */
    private static boolean isFromContainer(HttpServletRequest request) {
        return request.getDispatcherType() == DispatcherType.REQUEST
                || request.getDispatcherType() == DispatcherType.ERROR;
    }

    /** Whether the handler writes an included part of another handler's response. */
    private static boolean isIncluded(HttpServletRequest request) {
        return request.getDispatcherType() == DispatcherType.INCLUDE;
    }
}
