package dev.quire.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * A handler with a policy, and where it answers.
 *
 * @param routes methods, if they are restricted, and path pattern of each
 */
record MappedFragment(FragmentPolicy policy, List<String> routes, HandlerMethod handler) {

    MappedFragment {
        routes = List.copyOf(routes);
    }

    /** The routes of a mapping: {@code GET /fragments/live}. */
    static List<String> routes(RequestMappingInfo mapping) {
        var methods = new ArrayList<String>();
        mapping.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
        var paths = mapping.getPatternValues().stream().sorted();
        return (methods.isEmpty()
                        ? paths
                        : paths.map(path -> String.join(",", methods) + " " + path))
                .toList();
    }
}
