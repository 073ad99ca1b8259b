package dev.quire.spring.internal.handler;

import dev.quire.spring.internal.handler.MappedFragment.Argument;
import dev.quire.spring.internal.policy.Precedence;
import dev.quire.spring.internal.settings.DevProperties;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ValueConstants;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * The fragments that annotated Spring MVC handlers declare, collected on each call.
 *
 * @param dev example values of arguments
 */
public record DeclaredHandlers(FragmentPolicies policies, DevProperties dev)
        implements FragmentHandlers {

    private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

    @Override
    public List<MappedFragment> mapped() {
        var found = new ArrayList<MappedFragment>();
        policies.forEachMapped((route, handler, policy) ->
                found.add(
                        new MappedFragment(
                                policy,
                                Precedence.variants(handler.getMethod(), handler.getBeanType()),
                                MappedFragment.routes(route),
                                readAt(route),
                                arguments(route, handler, policy.name()))));
        found.sort(
                Comparator.comparing((MappedFragment fragment) -> fragment.policy().name())
                        .thenComparing(fragment -> fragment.policy().handler()));
        return found;
    }

    private static Optional<String> readAt(RequestMappingInfo route) {
        var methods = route.getMethodsCondition().getMethods();
        return methods.isEmpty() || methods.contains(RequestMethod.GET)
                ? route.getPatternValues().stream().sorted().findFirst()
                : Optional.empty();
    }

    private List<Argument> arguments(RequestMappingInfo route, HandlerMethod handler, String name) {
        var arguments = new LinkedHashMap<String, Argument>();
        for (var variable : MappedFragment.variables(readAt(route).orElse(""))) {
            arguments.put(variable, new Argument(variable, "", true, true));
        }
        for (var condition : route.getParamsCondition().getExpressions()) {
            if (!condition.isNegated()) {
                var value = Optional.ofNullable(condition.getValue()).orElse("");
                arguments.putIfAbsent(
                        condition.getName(), new Argument(condition.getName(), value, true, false));
            }
        }
        for (var parameter : handler.getMethodParameters()) {
            parameter(parameter)
                    .ifPresent(argument -> arguments.putIfAbsent(argument.name(), argument));
        }
        Map<String, String> samples = dev.samples().getOrDefault(name, Map.of());
        return arguments.values().stream()
                .map(argument ->
                        new Argument(
                                argument.name(),
                                samples.getOrDefault(argument.name(), argument.value()),
                                argument.isRequired(),
                                argument.isInPath()))
                .toList();
    }

    private static Optional<Argument> parameter(MethodParameter parameter) {
        var asked = parameter.getParameterAnnotation(RequestParam.class);
        if (asked == null || parameter.hasParameterAnnotation(PathVariable.class)) {
            return Optional.empty();
        }
        parameter.initParameterNameDiscovery(DISCOVERER);
        var name = asked.name().isEmpty() ? parameter.getParameterName() : asked.name();
        if (name == null) {
            return Optional.empty();
        }
        boolean hasDefault = !asked.defaultValue().equals(ValueConstants.DEFAULT_NONE);
        return Optional.of(
                new Argument(
                        name,
                        hasDefault ? asked.defaultValue() : "",
                        asked.required() && !hasDefault && !parameter.isOptional(),
                        false));
    }
}
