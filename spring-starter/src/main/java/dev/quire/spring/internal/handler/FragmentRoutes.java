package dev.quire.spring.internal.handler;

import dev.quire.spring.Esi;
import dev.quire.spring.FragmentPolicy;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.MvcUriComponentsBuilder;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.support.RequestContextUtils;
import org.springframework.web.util.UriComponents;

/**
 * The handler methods that can be included as fragments. Validates an include by method. Shared by
 * all requests; caches its results per method.
 */
public final class FragmentRoutes {

    /**
     * The cached result for a method.
     *
     * @param problem why the method cannot be included; null if it can
     * @param timeout the include's timeout, from the method's policy
     */
    private record Route(@Nullable String problem, Optional<Duration> timeout) {}

    private record Call(Method method, List<@Nullable Object> arguments) {}

    private final ObjectProvider<RequestMappingHandlerMapping> mappings;
    private final ObjectProvider<FragmentPolicies> policies;
    private final Map<Method, Route> routes = new ConcurrentHashMap<>();

    public FragmentRoutes(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicies> policies) {
        this.mappings = mappings;
        this.policies = policies;
    }

    /**
     * Returns the routes of the current request's application.
     *
     * @throws IllegalStateException if this thread handles no request
     */
    public static FragmentRoutes current() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes known) {
            var application = RequestContextUtils.findWebApplicationContext(known.getRequest());
            if (application != null) {
                return application.getBean(FragmentRoutes.class);
            }
        }
        throw new IllegalStateException(
                "an include by handler method needs the current request, but the thread '%s' handles no request (expected a call on the handler's thread, or an include by path)"
                        .formatted(Thread.currentThread().getName()));
    }

    /** A null parameter is omitted, though the builder's signature does not declare it. */
    @SuppressWarnings("NullAway")
    private static UriComponents url(Class<?> controller, Call called) {
        return MvcUriComponentsBuilder.fromMethod(
                        controller, called.method(), called.arguments().toArray())
                .build()
                .encode();
    }

    /** Returns an include of the handler method that {@code call} calls. */
    public <C> Esi.Include include(Class<C> controller, Function<? super C, ?> call) {
        var called = called(controller, call);
        var route = routes.computeIfAbsent(called.method(), this::routeTo);
        if (route.problem() != null) {
            throw new IllegalArgumentException(route.problem());
        }
        var url = url(controller, called);
        var query = url.getQuery();
        var include = Esi.include(query == null ? url.getPath() + "" : url.getPath() + "?" + query);
        return route.timeout().map(include::timeout).orElse(include);
    }

    private static <C> Call called(Class<C> controller, Function<? super C, ?> call) {
        var calls = new Call[1];
        MethodInterceptor recorder =
                invocation -> {
                    if (calls[0] == null) {
                        calls[0] =
                                new Call(
                                        invocation.getMethod(),
                                        Arrays.asList(invocation.getArguments()));
                    }
                    return nothing(invocation.getMethod().getReturnType());
                };
        var factory = new ProxyFactory();
        factory.setTargetClass(controller);
        factory.setProxyTargetClass(true);
        factory.addAdvice(recorder);
        var unused = call.apply(controller.cast(factory.getProxy(controller.getClassLoader())));
        if (calls[0] == null) {
            throw new IllegalArgumentException(
                    "Esi.include(%s, …) calls no method of the controller (expected one call of a method that is neither private nor final, such as c -> c.live(region))"
                            .formatted(controller.getName()));
        }
        return calls[0];
    }

    private static @Nullable Object nothing(Class<?> type) {
        return type.isPrimitive() && type != void.class
                ? Array.get(Array.newInstance(type, 1), 0)
                : null;
    }

    private Route routeTo(Method method) {
        var name = method.getDeclaringClass().getName() + "#" + method.getName();
        boolean isMapped = false;
        for (var mapping : mappings.orderedStream().toList()) {
            for (var entry : mapping.getHandlerMethods().entrySet()) {
                var handler = entry.getValue();
                if (!isSame(handler.getMethod(), method)) {
                    continue;
                }
                isMapped = true;
                var methods = entry.getKey().getMethodsCondition().getMethods();
                if (methods.isEmpty() || methods.contains(RequestMethod.GET)) {
                    return new Route(null, timeout(handler));
                }
            }
        }
        return new Route(
                isMapped
                        ? "Esi.include: %s is not mapped to GET, but fragments are always fetched with GET (expected @GetMapping)"
                                .formatted(name)
                        : "Esi.include: %s has no mapping (expected a method with @GetMapping in a registered controller)"
                                .formatted(name),
                Optional.empty());
    }

    private Optional<Duration> timeout(HandlerMethod handler) {
        var known = policies.getIfAvailable();
        return known == null
                ? Optional.empty()
                : known.of(handler).flatMap(FragmentPolicy::timeout);
    }

    private static boolean isSame(Method handler, Method called) {
        return handler.equals(called)
                || handler.equals(
                        ClassUtils.getMostSpecificMethod(called, handler.getDeclaringClass()));
    }
}
