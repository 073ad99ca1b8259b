package dev.quire.spring.internal.exchange;

import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.i18n.AcceptHeaderLocaleResolver;
import org.springframework.web.servlet.i18n.CookieLocaleResolver;
import org.springframework.web.servlet.i18n.FixedLocaleResolver;

/** The reads of the reader's language by a handler and its view. Thread-safe. */
public final class LanguageReads {

    public static final String ACCEPT_LANGUAGE = "Accept-Language";

    /**
     * One read.
     *
     * @param what in words, to follow "asked for"
     * @param field the request field that the language comes from; null if it comes from elsewhere
     */
    public record Read(String what, @Nullable String field) {}

    private volatile boolean watched;
    private volatile @Nullable LocaleResolver resolver;
    private volatile boolean ofVariant;
    private volatile List<Read> all = List.of();

    /** Starts recording. The language comes from {@code resolver}, if there is one. */
    public void watch(@Nullable LocaleResolver resolver) {
        this.resolver = resolver;
        watched = true;
    }

    /** Returns the reads; none if they are covered by a variant that reads the language. */
    public List<Read> all() {
        return ofVariant ? List.of() : all;
    }

    /** Forgets the reads until now. */
    synchronized void forget() {
        all = List.of();
    }

    boolean isWatched() {
        return watched;
    }

    /** Whether {@code locale} is the one that was resolved for the reader. */
    boolean isReaders(Locale locale, HttpServletRequest request) {
        var resolving = resolver;
        return watched
                && locale.equals(
                        resolving == null ? request.getLocale() : resolving.resolveLocale(request));
    }

    /** Called when the variant is chosen by the language. */
    void readForVariant() {
        ofVariant = true;
    }

    /** Records a read of the resolved language; returns whether it is new. */
    boolean add(String what) {
        return switch (resolver) {
            case FixedLocaleResolver ignored -> false;
            case CookieLocaleResolver ignored -> add(what, "Cookie");
            case AcceptHeaderLocaleResolver ignored -> add(what, ACCEPT_LANGUAGE);
            case null -> add(what, ACCEPT_LANGUAGE);
            default -> add(what, null);
        };
    }

    /** Records a read of {@code field}; returns whether it is new. */
    synchronized boolean add(String what, @Nullable String field) {
        var read = new Read(what, field);
        if (!watched || all.contains(read)) {
            return false;
        }
        var more = new ArrayList<>(all);
        more.add(read);
        all = List.copyOf(more);
        return true;
    }
}
