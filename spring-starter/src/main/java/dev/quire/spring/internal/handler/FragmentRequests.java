package dev.quire.spring.internal.handler;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.fields.FragmentMark;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** Distinguishes requests for fragments from requests for pages. */
public record FragmentRequests(
        ObjectProvider<FragmentPolicies> policies,
        ObjectProvider<RequestMappingHandlerMapping> mappings) {

    /**
     * Whether {@code request} is made on behalf of a page, by a surrogate or the application. Any
     * client can claim this, so it grants nothing.
     */
    public static boolean isForPage(HttpServletRequest request) {
        if (FragmentMark.isOn(request)) {
            return true;
        }
        var level = request.getHeader("X-ESI-Level");
        return level != null && !level.equals("0");
    }

    /** Whether it is made on behalf of a page, or its handler is declared a fragment. */
    public boolean isForFragment(HttpServletRequest request) {
        return isForPage(request) || isOfFragmentHandler(request);
    }

    private boolean isOfFragmentHandler(HttpServletRequest request) {
        var asked = new MappingRequest(request);
        ServletRequestPathUtils.parseAndCache(asked);
        for (var mapping : mappings.orderedStream().toList()) {
            var handler = handler(mapping, asked);
            if (handler != null) {
                return policies.getObject()
                        .of(handler)
                        .map(policy -> policy.kind() == FragmentPolicy.Kind.FRAGMENT)
                        .orElse(false);
            }
        }
        return false;
    }

    private static @Nullable HandlerMethod handler(
            RequestMappingHandlerMapping mapping, HttpServletRequest request) {
        try {
            var chain = mapping.getHandler(request);
            return chain != null && chain.getHandler() instanceof HandlerMethod method
                    ? method
                    : null;
        } catch (Exception noMatch) {
            // the method does not match, for example: no handler, hence no fragment
            return null;
        }
    }

    /** The request with separate attributes, because a mapping stores its results there. */
    private static final class MappingRequest extends HttpServletRequestWrapper {

        private final Map<String, @Nullable Object> attributes = new HashMap<>();

        MappingRequest(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable Object getAttribute(String name) {
            return attributes.containsKey(name) ? attributes.get(name) : super.getAttribute(name);
        }

        @Override
        public void setAttribute(String name, @Nullable Object value) {
            attributes.put(name, value);
        }

        @Override
        public void removeAttribute(String name) {
            attributes.put(name, null);
        }
    }
}
