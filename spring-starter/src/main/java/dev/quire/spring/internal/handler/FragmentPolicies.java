package dev.quire.spring.internal.handler;

import dev.quire.spring.EsiFragment;
import dev.quire.spring.EsiPage;
import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.FragmentPolicyCustomizer;
import dev.quire.spring.NoEsi;
import dev.quire.spring.internal.policy.Precedence;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.stereotype.Controller;
import org.springframework.util.ClassUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The policy of every handler, read once. All mapped handlers are read at start-up, so that an
 * invalid annotation, or one on a controller method without a mapping, stops the start.
 */
public final class FragmentPolicies implements SmartInitializingSingleton {

    /** The name of a handler's return value in tags. */
    static final String RESULT = "result";

    private record Handler(Class<?> type, Method method) {}

    private final Map<Handler, Optional<FragmentPolicy>> known = new ConcurrentHashMap<>();
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;
    private final ObjectProvider<FragmentPolicyCustomizer> customizers;
    private final ListableBeanFactory beans;

    public FragmentPolicies(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicyCustomizer> customizers,
            ListableBeanFactory beans) {
        this.mappings = mappings;
        this.customizers = customizers;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        var mapped = new HashSet<Handler>();
        mappings.forEach(mapping ->
                mapping.getHandlerMethods()
                        .values()
                        .forEach(handler -> {
                            of(handler);
                            mapped.add(new Handler(handler.getBeanType(), handler.getMethod()));
                        }));
        if (mappings.stream().findAny().isEmpty()) {
            return;
        }
        for (var name : beans.getBeanNamesForAnnotation(Controller.class)) {
            var type = beans.getType(name, false);
            if (type != null) {
                requireRoutes(ClassUtils.getUserClass(type), mapped);
            }
        }
    }

    /**
     * Throws if a controller method with a policy has no mapping: the mapping was probably
     * forgotten.
     */
    private static void requireRoutes(Class<?> controller, Set<Handler> mapped) {
        var declaring =
                MethodIntrospector.selectMethods(
                        controller,
                        (MethodIntrospector.MetadataLookup<String>) method -> annotationOn(method));
        declaring.forEach((method, annotation) -> {
            if (!mapped.contains(new Handler(controller, method))) {
                throw new IllegalStateException(
                        "%s on %s#%s: the method has no mapping, so it cannot be included (expected @GetMapping or another mapping on it)"
                                .formatted(annotation, controller.getName(), method.getName()));
            }
        });
    }

    private static @Nullable String annotationOn(Method method) {
        var on = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        for (var one : List.of(EsiPage.class, EsiFragment.class, NoEsi.class)) {
            if (on.isPresent(one)) {
                return "@" + one.getSimpleName();
            }
        }
        return null;
    }

    /** Returns the policy of {@code handler}; empty if it has none. */
    public Optional<FragmentPolicy> of(HandlerMethod handler) {
        return known.computeIfAbsent(
                new Handler(handler.getBeanType(), handler.getMethod()), key -> read(key, handler));
    }

    /** Passes every mapped handler with a policy to {@code use}. */
    void forEachMapped(MappedHandlers use) {
        mappings.forEach(mapping ->
                mapping.getHandlerMethods()
                        .forEach((route, handler) ->
                                of(handler)
                                        .ifPresent(policy -> use.accept(route, handler, policy))));
    }

    /** Receives handlers one by one. */
    @FunctionalInterface
    interface MappedHandlers {
        void accept(RequestMappingInfo route, HandlerMethod handler, FragmentPolicy policy);
    }

    private Optional<FragmentPolicy> read(Handler key, HandlerMethod handler) {
        return Precedence.declared(key.method(), key.type())
                .map(declared -> {
                    var policy =
                            FragmentPolicy.of(
                                    declared,
                                    key.type().getName() + "#" + key.method().getName(),
                                    key.type().getSimpleName() + "#" + key.method().getName(),
                                    names(key.method()));
                    for (var customizer : customizers.orderedStream().toList()) {
                        policy = customizer.customize(handler, policy);
                    }
                    return policy;
                });
    }

    private static Set<String> names(Method method) {
        var names = new DefaultParameterNameDiscoverer().getParameterNames(method);
        var known = new LinkedHashSet<String>();
        if (names != null) {
            for (var name : names) {
                if (name != null) {
                    known.add(name);
                }
            }
        }
        if (method.getReturnType() != void.class) {
            known.add(RESULT);
        }
        return known;
    }
}
