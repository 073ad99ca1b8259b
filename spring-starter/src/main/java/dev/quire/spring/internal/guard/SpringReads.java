package dev.quire.spring.internal.guard;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.servlet.FlashMapManager;
import org.springframework.web.servlet.FrameworkServlet;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.support.RequestContextUtils;
import org.springframework.web.util.WebUtils;

/**
 * Distinguishes reads of session and cookies by Spring itself from reads by handlers and views. It
 * does so by the calling class, because the session attribute of the locale may have any name and
 * all cookies come in one array.
 *
 * <p>A language in session or cookie counts as Spring's own read of them: it does not identify the
 * user. The response may still have to vary by it.
 */
final class SpringReads {

    private static final String SECURITY_FILTERS = "org.springframework.security.web.";
    private static final String SESSION_ARGUMENT =
            "org.springframework.web.servlet.mvc.method.annotation.SessionAttributeMethodArgumentResolver";

    private static final String THYMELEAF_SESSION = "org.thymeleaf.web.servlet.";
    private static final String WEB_REQUEST = "org.springframework.web.context.request.";
    private static final String SPRING = "org.springframework.";
    private static final String STARTER = "dev.quire.spring.internal.";
    private static final String THYMELEAF = "org.thymeleaf.";

    /** Spring's adapters of request fields: their caller reads the fields. */
    private static final String FIELDS = "org.springframework.http.";

    /** The fields of a functional endpoint, which read the request too. */
    private static final String FUNCTIONAL_FIELDS = "org.springframework.web.servlet.function.";

    /** Resolve arguments that hold all request fields. */
    private static final Set<String> FIELDS_ARGUMENTS =
            Set.of(
                    "org.springframework.web.method.annotation.RequestHeaderMapMethodArgumentResolver",
                    "org.springframework.web.servlet.mvc.method.annotation.HttpEntityMethodProcessor");

    /** Classes of Spring that ask for the language on behalf of handlers and views. */
    private static final Set<String> LANGUAGE_READERS =
            Set.of(
                    "org.springframework.context.support.MessageSourceAccessor",
                    "org.springframework.format.support.FormattingConversionService$PrinterConverter",
                    "org.springframework.web.method.annotation.RequestHeaderMethodArgumentResolver",
                    "org.springframework.web.servlet.mvc.method.annotation.ServletRequestMethodArgumentResolver");

    private static final StackWalker STACK =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    /** Packages whose classes read on behalf of others; the reader is the class that calls them. */
    private static final List<String> LIBRARIES =
            List.of(
                    STARTER,
                    "com.fasterxml.",
                    "freemarker.",
                    "jakarta.",
                    "java.",
                    "jdk.",
                    "ognl.",
                    "org.apache.",
                    SPRING,
                    THYMELEAF,
                    "tools.jackson.");

    private SpringReads() {}

    /** Returns the class, method and line of the application that reads on this thread. */
    static String reader() {
        return STACK.walk(frames ->
                frames.filter(SpringReads::isOfApplication)
                        .findFirst()
                        .map(frame ->
                                "read by %s.%s, line %d"
                                        .formatted(
                                                frame.getClassName(),
                                                frame.getMethodName(),
                                                frame.getLineNumber()))
                        .orElse("read by a library"));
    }

    private static boolean isOfApplication(StackWalker.StackFrame frame) {
        return LIBRARIES.stream().noneMatch(frame.getClassName()::startsWith);
    }

    /** Who asks for a session that does not exist. */
    enum Asker {
        APPLICATION,
        /** Spring, for itself. */
        FRAMEWORK,
        /** A template engine that asks before it renders; the template may not read the session. */
        TEMPLATE_ENGINE
    }

    static Asker askerOfAbsentSession() {
        var asker = asker();
        var name = asker.getName();
        if (name.startsWith(THYMELEAF_SESSION)) {
            return Asker.TEMPLATE_ENGINE;
        }
        // an argument that is null without a session is read by the handler
        boolean isFramework =
                isResolver(asker)
                        || isResolver(asker.getNestHost())
                        || (name.startsWith(SPRING) && !name.equals(SESSION_ARGUMENT));
        return isFramework ? Asker.FRAMEWORK : Asker.APPLICATION;
    }

    /** Whether the current read on this thread is Spring's own. */
    static boolean isOne() {
        var asker = asker();
        return isEvent(asker)
                || asker.getName().startsWith(SECURITY_FILTERS)
                || isResolver(asker)
                // locales are resolved lazily, by an anonymous class inside their resolver
                || isResolver(asker.getNestHost());
    }

    /** Whether the servlet reads for the event that it publishes after each request. */
    static boolean isEvent() {
        return isEvent(asker());
    }

    private static boolean isEvent(Class<?> asker) {
        return asker == FrameworkServlet.class;
    }

    /** Whether Spring lists the request fields for itself, not for a handler. */
    static boolean isEnumeration() {
        var name = asker(type -> type.getName().startsWith(FIELDS)).getName();
        return name.startsWith(SPRING) && !FIELDS_ARGUMENTS.contains(name);
    }

    /** Whether a handler or view asks for the language on this thread, not Spring for itself. */
    static boolean isLanguageOfApplication() {
        var asker = asker(SpringReads::passesLanguageOn);
        if (isResolver(asker) || isResolver(asker.getNestHost())) {
            return false;
        }
        var name = asker.getName();
        return LANGUAGE_READERS.contains(name)
                || !(name.startsWith(SPRING)
                        || name.startsWith(THYMELEAF)
                        || name.startsWith(STARTER));
    }

    private static boolean passesLanguageOn(Class<?> type) {
        return type.getName().startsWith(FIELDS)
                || type.getName().startsWith(FUNCTIONAL_FIELDS)
                || type == LocaleContextHolder.class
                || type == RequestContextUtils.class
                || LocaleContext.class.isAssignableFrom(type);
    }

    private static boolean isResolver(Class<?> asker) {
        return LocaleResolver.class.isAssignableFrom(asker)
                || FlashMapManager.class.isAssignableFrom(asker);
    }

    /** Returns the innermost class on this thread's stack that does not merely delegate. */
    private static Class<?> asker() {
        return asker(type -> false);
    }

    /** Returns the same, skipping classes that match {@code delegates} too. */
    private static Class<?> asker(Predicate<Class<?>> delegates) {
        return STACK.walk(frames ->
                frames.<Class<?>>map(StackWalker.StackFrame::getDeclaringClass)
                        .filter(type -> !passesOn(type) && !delegates.test(type))
                        .findFirst()
                        .orElse(SpringReads.class));
    }

    private static boolean passesOn(Class<?> type) {
        return type == SpringReads.class
                || type == WebUtils.class
                || ServletRequest.class.isAssignableFrom(type)
                || HttpSession.class.isAssignableFrom(type)
                || type.getName().startsWith(WEB_REQUEST);
    }
}
