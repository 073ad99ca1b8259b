package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.InvalidatesFragments;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/**
 * The invalidation rules of every method, read once: when its bean is created, so that an invalid
 * one stops the start. As a pointcut it matches the methods with rules. Thread-safe.
 */
public final class InvalidationRules extends StaticMethodMatcherPointcut {

    private record Target(Class<?> type, Method method) {}

    private final Map<Target, List<InvalidationRule>> known = new ConcurrentHashMap<>();

    public InvalidationRules() {
        setClassFilter(type -> AnnotationUtils.isCandidateClass(type, InvalidatesFragments.class));
    }

    @Override
    public boolean matches(Method method, Class<?> type) {
        return !of(method, type).isEmpty();
    }

    List<InvalidationRule> of(Method method, Class<?> type) {
        return known.computeIfAbsent(
                new Target(type, AopUtils.getMostSpecificMethod(method, type)),
                InvalidationRules::read);
    }

    private static List<InvalidationRule> read(Target target) {
        return MergedAnnotations.from(
                        target.method(),
                        SearchStrategy.TYPE_HIERARCHY,
                        RepeatableContainers.standardRepeatables())
                .stream(InvalidatesFragments.class)
                .map(MergedAnnotation::synthesize)
                .map(annotation -> InvalidationRule.of(annotation, target.type(), target.method()))
                .toList();
    }
}
