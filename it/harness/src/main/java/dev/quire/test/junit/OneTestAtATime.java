package dev.quire.test.junit;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/** The lock of a site: one for each top-level class, held by one test at a time. */
final class OneTestAtATime implements ResourceLocksProvider {

    @Override
    public Set<Lock> provideForMethod(
            List<Class<?>> enclosing, Class<?> testClass, Method testMethod) {
        var top = enclosing.isEmpty() ? testClass : enclosing.getFirst();
        return Set.of(new Lock("dev.quire.test.site of " + top.getName()));
    }
}
