package dev.quire.spring;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpSession;
import org.springframework.web.servlet.FlashMapManager;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.util.WebUtils;

/**
 * Tells what Spring reads of session and cookies for its own ends from what handlers and views
 * read: by the class that asks, since a session's locale may have any name and all cookies come in
 * one array.
 *
 * <p>A language kept in session or cookie is Spring's own reading, though the text depends on it:
 * it says nothing about who reads.
 */
final class SpringReads {

    private static final String SECURITY_FILTERS = "org.springframework.security.web.";
    private static final String WEB_REQUEST = "org.springframework.web.context.request.";
    private static final StackWalker STACK =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private SpringReads() {}

    /** Whether the reading under way on this thread is Spring's own. */
    static boolean isOne() {
        var asker = asker();
        return asker.getName().startsWith(SECURITY_FILTERS)
                || isResolver(asker)
                // locales are resolved late, by an anonymous class inside their resolver
                || isResolver(asker.getNestHost());
    }

    private static boolean isResolver(Class<?> asker) {
        return LocaleResolver.class.isAssignableFrom(asker)
                || FlashMapManager.class.isAssignableFrom(asker);
    }

    /** The innermost class on this thread's stack that does more than pass the question on. */
    private static Class<?> asker() {
        return STACK.walk(frames ->
                frames.<Class<?>>map(StackWalker.StackFrame::getDeclaringClass)
                        .filter(type -> !passesOn(type))
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
