package dev.quire.test.spring;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.spring.internal.handler.MappedFragment;
import dev.quire.spring.internal.policy.TagTemplate;
import dev.quire.test.FragmentHandler;
import java.util.List;
import java.util.Optional;
import org.springframework.context.ApplicationContext;
import org.springframework.web.context.WebApplicationContext;

/** The handlers declared by a Spring application with the starter. */
final class SpringFragments {

    private SpringFragments() {}

    /**
     * The handlers of {@code application} that have a policy, by name, with paths as clients see
     * them; without those that do not support GET.
     *
     * @throws AssertionError if the starter is absent or disabled
     */
    public static List<FragmentHandler> of(ApplicationContext application) {
        var handlers = application.getBeanProvider(FragmentHandlers.class).getIfAvailable();
        if (handlers == null) {
            throw new AssertionError(
                    "%s has no bean of type FragmentHandlers (expected quire-spring-boot-starter on the class path, quire.enabled not false, and a web application: in a slice such as @WebMvcTest, one with the starter's beans)"
                            .formatted(application.getDisplayName()));
        }
        var below = contextPath(application);
        return handlers.mapped().stream()
                .filter(mapped -> mapped.path().isPresent())
                .map(mapped -> handler(mapped, below))
                .toList();
    }

    private static FragmentHandler handler(MappedFragment mapped, String below) {
        var policy = mapped.policy();
        boolean isPublic = !policy.isPrivate();
        return new FragmentHandler(
                policy.name(),
                policy.handler(),
                mapped.path().map(path -> below + path).stream().toList(),
                policy.kind() == FragmentPolicy.Kind.PAGE,
                isPublic,
                isPublic ? Optional.of(policy.ttl()) : Optional.empty(),
                policy.tags().stream().map(TagTemplate::source).toList(),
                mapped.variants(),
                mapped.example().map(target -> below + target),
                mapped.missing());
    }

    private static String contextPath(ApplicationContext application) {
        var servlets =
                application instanceof WebApplicationContext web ? web.getServletContext() : null;
        var path = servlets == null ? null : servlets.getContextPath();
        return path == null ? "" : path;
    }
}
