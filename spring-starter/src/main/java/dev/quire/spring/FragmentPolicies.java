package dev.quire.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The policy of every handler, read once. All handlers that are mapped when the application starts
 * are read then, so that a wrong annotation stops it.
 */
final class FragmentPolicies implements SmartInitializingSingleton {

    /** What tags call the value a handler returns. */
    static final String RESULT = "result";

    private record Handler(Class<?> type, Method method) {}

    private final Map<Handler, Optional<FragmentPolicy>> known = new ConcurrentHashMap<>();
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;
    private final ObjectProvider<FragmentPolicyCustomizer> customizers;

    FragmentPolicies(
            ObjectProvider<RequestMappingHandlerMapping> mappings,
            ObjectProvider<FragmentPolicyCustomizer> customizers) {
        this.mappings = mappings;
        this.customizers = customizers;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.forEach(mapping -> mapping.getHandlerMethods().values().forEach(this::of));
    }

    /** The policy of {@code handler}; empty when it has none. */
    Optional<FragmentPolicy> of(HandlerMethod handler) {
        return known.computeIfAbsent(
                new Handler(handler.getBeanType(), handler.getMethod()), key -> read(key, handler));
    }

    /** Every mapped handler that has a policy, by name. */
    List<MappedFragment> mapped() {
        var found = new ArrayList<MappedFragment>();
        mappings.forEach(mapping ->
                mapping.getHandlerMethods()
                        .forEach((route, handler) ->
                                of(handler)
                                        .ifPresent(policy ->
                                                found.add(
                                                        new MappedFragment(
                                                                policy,
                                                                MappedFragment.routes(route),
                                                                handler)))));
        found.sort(
                Comparator.comparing((MappedFragment fragment) -> fragment.policy().name())
                        .thenComparing(fragment -> fragment.policy().handler()));
        return found;
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
