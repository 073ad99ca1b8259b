package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.GuardedExchange;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.context.i18n.TimeZoneAwareLocaleContext;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.support.RequestContextUtils;

/**
 * Records when handlers and views ask {@link LocaleContextHolder} for the reader's language, on the
 * thread of the request and on that of a {@link Callable}.
 */
public final class LanguageWatch implements AsyncHandlerInterceptor {

    /** Whether child threads inherit the context; null before the first request. */
    private volatile @Nullable Boolean inherited;

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        var exchange = GuardedExchange.of(request);
        if (exchange != null) {
            exchange.languageReads().watch(RequestContextUtils.getLocaleResolver(request));
            watch(exchange);
            WebAsyncUtils.getAsyncManager(request)
                    .registerCallableInterceptor(
                            LanguageWatch.class,
                            new CallableProcessingInterceptor() {
                                @Override
                                public <T> void preProcess(
                                        NativeWebRequest web, Callable<T> callable) {
                                    watch(exchange);
                                }
                            });
        }
        return true;
    }

    /** Watches this thread; the servlet restores the previous context. */
    private void watch(GuardedExchange exchange) {
        var context = LocaleContextHolder.getLocaleContext();
        if (context != null) {
            LocaleContextHolder.setLocaleContext(
                    new Watched(context, exchange), isInherited(context));
        }
    }

    /** The servlet does not publish {@code threadContextInheritable}, so a child thread looks. */
    private boolean isInherited(LocaleContext context) {
        var known = inherited;
        if (known == null) {
            known =
                    CompletableFuture.supplyAsync(
                                    () -> context.equals(LocaleContextHolder.getLocaleContext()),
                                    Thread.ofPlatform()::start)
                            .join();
            inherited = known;
        }
        return known;
    }

    private record Watched(LocaleContext context, GuardedExchange exchange)
            implements TimeZoneAwareLocaleContext {

        @Override
        public @Nullable Locale getLocale() {
            if (exchange.countsLanguage() && SpringReads.isLanguageOfApplication()) {
                exchange.languageAsked("the current locale");
            }
            return context.getLocale();
        }

        @Override
        public @Nullable TimeZone getTimeZone() {
            var zone =
                    context instanceof TimeZoneAwareLocaleContext aware
                            ? aware.getTimeZone()
                            : null;
            if (zone != null
                    && exchange.countsLanguage()
                    && SpringReads.isLanguageOfApplication()) {
                exchange.languageAsked("the current time zone");
            }
            return zone;
        }
    }
}
