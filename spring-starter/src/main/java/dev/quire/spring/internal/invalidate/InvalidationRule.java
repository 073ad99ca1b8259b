package dev.quire.spring.internal.invalidate;

import dev.quire.spring.invalidate.InvalidatesFragments;
import dev.quire.spring.invalidate.Invalidation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * A validated {@link InvalidatesFragments} of one method.
 *
 * @param method class and method, for the log
 */
record InvalidationRule(
        String method, List<KeyTemplate> tags, List<KeyTemplate> urls, Invalidation.Mode mode) {

    /** The variable name of the method's result. */
    static final String RESULT = "result";

    /** Types of asynchronous results, by name because not every application has them. */
    private static final Set<String> LATER =
            Set.of(
                    Callable.class.getName(),
                    "org.reactivestreams.Publisher",
                    "org.springframework.web.context.request.async.DeferredResult",
                    "org.springframework.web.context.request.async.WebAsyncTask");

    private static final DefaultParameterNameDiscoverer NAMES =
            new DefaultParameterNameDiscoverer();

    InvalidationRule {
        tags = List.copyOf(tags);
        urls = List.copyOf(urls);
    }

    /**
     * Validates an annotation.
     *
     * @throws IllegalArgumentException naming the method, the member and what was expected
     */
    static InvalidationRule of(InvalidatesFragments annotation, Class<?> type, Method method) {
        var name = type.getName() + "#" + method.getName();
        try {
            check(annotation, method);
            var known = new LinkedHashSet<>(argumentNames(method));
            known.add(RESULT);
            var rule =
                    new InvalidationRule(
                            name,
                            templates("tags", annotation.tags(), known),
                            templates("urls", annotation.urls(), known),
                            annotation.mode());
            if (method.getReturnType() == void.class) {
                rule.refuseResult();
            }
            return rule;
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "@InvalidatesFragments on %s: %s".formatted(name, wrong.getMessage()), wrong);
        }
    }

    /** Returns the arguments and the result of a call, by name. */
    static Map<String, @Nullable Object> values(
            Method method, @Nullable Object[] arguments, @Nullable Object result) {
        var values = new HashMap<String, @Nullable Object>();
        var names = argumentNames(method);
        for (int i = 0; i < names.size(); i++) {
            values.put(names.get(i), arguments[i]);
        }
        values.put(RESULT, result);
        return values;
    }

    private static void check(InvalidatesFragments annotation, Method method) {
        if (annotation.tags().length == 0 && annotation.urls().length == 0) {
            throw new IllegalArgumentException("invalidates nothing (expected tags or urls)");
        }
        refuseLater(method);
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)
                || Modifier.isStatic(modifiers)
                || Modifier.isFinal(modifiers)) {
            throw new IllegalArgumentException(
                    "advice does not apply to a private, static or final method (expected one that can be overridden)");
        }
    }

    /**
     * Rejects a method that returns before its work is done: its invalidation would be too early.
     */
    private static void refuseLater(Method method) {
        var type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)) {
            return;
        }
        if (Future.class.isAssignableFrom(type)
                || Flow.Publisher.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || types(type).anyMatch(LATER::contains)) {
            throw new IllegalArgumentException(
                    "it returns %s, so its changes may happen after it has returned (expected a plain value or a CompletionStage; or put the annotation on the method that does the work)"
                            .formatted(type.getName()));
        }
    }

    /** Returns the names of {@code type}, its superclasses and its interfaces. */
    private static Stream<String> types(Class<?> type) {
        var parent = type.getSuperclass();
        var above = Arrays.stream(type.getInterfaces()).flatMap(InvalidationRule::types);
        return Stream.concat(
                Stream.of(type.getName()),
                parent == null ? above : Stream.concat(types(parent), above));
    }

    private void refuseResult() {
        for (var template : tags) {
            refuseResult("tags", template);
        }
        for (var template : urls) {
            refuseResult("urls", template);
        }
    }

    private static void refuseResult(String member, KeyTemplate template) {
        if (template.needsResult()) {
            throw new IllegalArgumentException(
                    "%s: '%s' uses #result, but the method returns nothing"
                            .formatted(member, template.source()));
        }
    }

    private static List<KeyTemplate> templates(String member, String[] sources, Set<String> known) {
        var templates = new ArrayList<KeyTemplate>(sources.length);
        for (var source : sources) {
            try {
                templates.add(KeyTemplate.parse(source, known));
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(member + ": " + wrong.getMessage(), wrong);
            }
        }
        return templates;
    }

    private static List<String> argumentNames(Method method) {
        @Nullable String @Nullable [] names = NAMES.getParameterNames(method);
        var known = new ArrayList<String>();
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
