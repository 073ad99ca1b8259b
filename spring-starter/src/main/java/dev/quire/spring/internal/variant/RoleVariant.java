package dev.quire.spring.internal.variant;

import dev.quire.spring.VariantResolver;
import dev.quire.spring.internal.settings.VariantsProperties;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/** The first configured role that the user has. */
public final class RoleVariant implements VariantResolver {

    private final Map<String, String> valuesByAuthority = new LinkedHashMap<>();

    /**
     * Creates a variant of these roles.
     *
     * @param roles without prefix, in order of precedence
     */
    public RoleVariant(List<String> roles) {
        roles.forEach(
                role -> valuesByAuthority.put("ROLE_" + role, VariantsProperties.value(role)));
    }

    @Override
    public String name() {
        return "role";
    }

    @Override
    public Set<String> values() {
        return Stream.concat(
                        Stream.of(VariantsProperties.NO_ROLE), valuesByAuthority.values().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public String initial() {
        return VariantsProperties.NO_ROLE;
    }

    @Override
    public String resolve(HttpServletRequest request) {
        var who = SecurityContextHolder.getContext().getAuthentication();
        if (who == null) {
            return VariantsProperties.NO_ROLE;
        }
        var granted =
                who.getAuthorities().stream()
                        .map(GrantedAuthority::getAuthority)
                        .collect(Collectors.toSet());
        return valuesByAuthority.entrySet().stream()
                .filter(role -> granted.contains(role.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(VariantsProperties.NO_ROLE);
    }
}
