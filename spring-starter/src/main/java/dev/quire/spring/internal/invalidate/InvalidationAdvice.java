package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.EsiInvalidator;
import dev.quire.spring.invalidate.Invalidation;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;

/**
 * Invalidates the keys of a method's annotations when it has succeeded.
 *
 * @param invalidator resolved when the first method has succeeded, as is {@code sites}
 */
public record InvalidationAdvice(
        InvalidationRules rules,
        Supplier<EsiInvalidator> invalidator,
        Supplier<Sites> sites,
        InvalidationFaults faults)
        implements MethodInterceptor {

    private static final Logger log = LoggerFactory.getLogger(InvalidationAdvice.class);

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        var target = invocation.getThis();
        var type =
                target == null
                        ? invocation.getMethod().getDeclaringClass()
                        : AopUtils.getTargetClass(target);
        var method = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        var found = rules.of(method, type);
        var arguments = invocation.getArguments();

        var result = invocation.proceed();

        if (result instanceof CompletionStage<?> later) {
            var told =
                    later.whenComplete((value, failure) -> {
                        if (failure == null) {
                            invalidate(found, method, arguments, value);
                        }
                    });
            // a custom stage type must be preserved
            return method.getReturnType().isInstance(told) ? told : later;
        }
        invalidate(found, method, arguments, result);
        return result;
    }

    /** Invalidates after the method has succeeded; a failure here must not change its result. */
    private void invalidate(
            List<InvalidationRule> found,
            Method method,
            @Nullable Object[] arguments,
            @Nullable Object result) {
        for (var rule : found) {
            faults.contain(rule.method(), () -> invalidate(rule, method, arguments, result));
        }
    }

    private void invalidate(
            InvalidationRule rule,
            Method method,
            @Nullable Object[] arguments,
            @Nullable Object result) {
        var values = InvalidationRule.values(method, arguments, result);
        var tags = new LinkedHashSet<String>();
        for (var template : rule.tags()) {
            try {
                for (var tag : template.keys(values)) {
                    if (InvalidationKeys.isTag(tag)) {
                        tags.add(tag);
                    } else {
                        unusable(rule, template, "'%s' is not a valid tag".formatted(tag));
                    }
                }
            } catch (RuntimeException failed) {
                unusable(rule, template, failed.toString());
            }
        }
        var urls = new LinkedHashSet<URI>();
        for (var template : rule.urls()) {
            try {
                for (var url : template.keys(values)) {
                    urls.addAll(sites.get().resolve(url));
                }
            } catch (RuntimeException failed) {
                unusable(rule, template, failed.toString());
            }
        }
        send(rule, tags, urls);
    }

    private void send(InvalidationRule rule, Set<String> tags, Set<URI> urls) {
        if (!tags.isEmpty() || !urls.isEmpty()) {
            invalidator.get().purge(new Invalidation(tags, urls, rule.mode()));
        }
    }

    private static void unusable(InvalidationRule rule, KeyTemplate template, String why) {
        log.warn(
                "{} succeeded, but '{}' of its @InvalidatesFragments gave no valid tag or URL: {}. Stored responses may be outdated until they expire.",
                rule.method(),
                template.source(),
                why);
    }
}
