package dev.quire.test.junit;

import dev.quire.test.EsiSite;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/**
 * The member of a test class that is annotated {@link TestedSite}.
 *
 * @param member a static field or method
 */
record NamedSite(Member member) {

    /**
     * The annotated member of {@code type}, or of its nearest superclass that has one.
     *
     * @throws ExtensionConfigurationException if the annotated member is not a valid site
     */
    static Optional<NamedSite> of(Class<?> type) {
        for (@Nullable Class<?> above = type; above != null; above = above.getSuperclass()) {
            var named = declaredBy(above);
            if (named.isPresent()) {
                return named;
            }
        }
        return Optional.empty();
    }

    private static Optional<NamedSite> declaredBy(Class<?> type) {
        List<Member> members = new ArrayList<>();
        for (var field : type.getDeclaredFields()) {
            addIfAnnotated(members, field, field);
        }
        for (var method : type.getDeclaredMethods()) {
            addIfAnnotated(members, method, method);
        }
        if (members.size() > 1) {
            throw new ExtensionConfigurationException(
                    "%s has %d members that are @TestedSite: %s (expected one; keep the annotation on the site to test)"
                            .formatted(
                                    type.getName(),
                                    members.size(),
                                    members.stream().map(Member::getName).sorted().toList()));
        }
        return members.stream().findFirst().map(NamedSite::new).map(NamedSite::checked);
    }

    private static void addIfAnnotated(
            List<Member> members, Member member, AnnotatedElement annotated) {
        if (annotated.isAnnotationPresent(TestedSite.class)) {
            members.add(member);
        }
    }

    private NamedSite checked() {
        var type =
                member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        boolean takesNothing =
                !(member instanceof Method method) || method.getParameterCount() == 0;
        if (!Modifier.isStatic(member.getModifiers()) || type != EsiSite.class || !takesNothing) {
            throw new ExtensionConfigurationException(
                    "%s cannot be @TestedSite (expected %s)"
                            .formatted(
                                    this,
                                    member instanceof Field
                                            ? "'static final EsiSite %s = ...'"
                                                    .formatted(member.getName())
                                            : "'static EsiSite " + member.getName() + "()'"));
        }
        return this;
    }

    /**
     * Opens the site.
     *
     * @throws AssertionError if that fails
     */
    EsiSite open() {
        try {
            var site =
                    switch (member) {
                        case Field field -> {
                            field.setAccessible(true);
                            yield (EsiSite) field.get(null);
                        }
                        case Method method -> {
                            method.setAccessible(true);
                            yield (EsiSite) method.invoke(null);
                        }
                        default -> throw new IllegalStateException("no field, no method: " + this);
                    };
            if (site == null) {
                throw new AssertionError(
                        "%s provides no site: it is null (expected for example EsiSite.over(...))"
                                .formatted(this));
            }
            return site;
        } catch (InvocationTargetException thrown) {
            throw new AssertionError(
                    "%s provides no site: it threw %s".formatted(this, thrown.getCause()),
                    thrown.getCause());
        } catch (IllegalAccessException e) {
            throw new AssertionError("%s cannot be read: %s".formatted(this, e.getMessage()), e);
        }
    }

    /** Whether the site stays open after the last test. */
    boolean outlivesTests() {
        return member instanceof Field;
    }

    @Override
    public String toString() {
        var place = member.getDeclaringClass().getName() + "." + member.getName();
        return member instanceof Method ? place + "()" : place;
    }
}
