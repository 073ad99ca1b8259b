package dev.quire.spring;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * The policy of every handler, read once. All handlers that are mapped when the application starts
 * are read then, so that a wrong annotation stops it.
 */
final class FragmentPolicies implements SmartInitializingSingleton {

    private record Handler(Class<?> type, Method method) {}

    private final Map<Handler, Optional<FragmentPolicy>> known = new ConcurrentHashMap<>();
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    FragmentPolicies(ObjectProvider<RequestMappingHandlerMapping> mappings) {
        this.mappings = mappings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.forEach(mapping -> mapping.getHandlerMethods().values().forEach(this::of));
    }

    /** The policy of {@code handler}; empty when it has none. */
    Optional<FragmentPolicy> of(HandlerMethod handler) {
        return known.computeIfAbsent(
                new Handler(handler.getBeanType(), handler.getMethod()), FragmentPolicies::read);
    }

    private static Optional<FragmentPolicy> read(Handler handler) {
        var annotation =
                AnnotatedElementUtils.findMergedAnnotation(handler.method(), EsiFragment.class);
        if (annotation == null) {
            annotation =
                    AnnotatedElementUtils.findMergedAnnotation(handler.type(), EsiFragment.class);
        }
        return Optional.ofNullable(annotation)
                .map(present -> FragmentPolicy.of(present, name(handler), arguments(handler)));
    }

    private static String name(Handler handler) {
        return handler.type().getName() + "#" + handler.method().getName();
    }

    private static Set<String> arguments(Handler handler) {
        var names = new DefaultParameterNameDiscoverer().getParameterNames(handler.method());
        var known = new LinkedHashSet<String>();
        if (names != null) {
            for (var name : names) {
                if (name != null) {
                    known.add(name);
                }
            }
        }
        return known;
    }
}
