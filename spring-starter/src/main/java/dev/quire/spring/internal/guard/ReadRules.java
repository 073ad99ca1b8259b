package dev.quire.spring.internal.guard;

import dev.quire.spring.internal.exchange.Demotion;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.exchange.LanguageReads;
import dev.quire.spring.internal.settings.QuireProperties;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which reads by public handlers and their views count. Shared by all requests; its only
 * state is the set of logged warnings.
 */
final class ReadRules {

    private static final Logger log = LoggerFactory.getLogger(ReadRules.class);

    private final QuireProperties.Guard guard;
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    ReadRules(QuireProperties.Guard guard) {
        this.guard = guard;
    }

    /** Whether {@code reason} counts; a read of the language depends on the response too. */
    boolean counts(Demotion reason, String handler) {
        return switch (reason) {
            case PRINCIPAL_READ ->
                    counts(guard.authenticated(), "reads the user's identity", handler);
            case SESSION_READ -> counts(guard.session(), "reads the session", handler);
            case COOKIE_READ -> counts(guard.cookies(), "reads the cookies", handler);
            case LANGUAGE_READ -> false;
            default -> true;
        };
    }

    private boolean counts(QuireProperties.Guard.OnRead choice, String what, String handler) {
        return switch (choice) {
            case DEMOTE -> true;
            case WARN -> {
                if (logged.add(handler + ' ' + what)) {
                    log.warn("{} is public although it {} (logged once)", handler, what);
                }
                yield false;
            }
            case OFF -> false;
        };
    }

    /**
     * Whether the reader's language makes {@code response} private: it was read, and the response
     * does not vary by it.
     *
     * @param isOpen whether fields can be added to {@code response}
     */
    boolean countsLanguage(GuardedExchange exchange, HttpServletResponse response, boolean isOpen) {
        for (var read : exchange.languageReads().all()) {
            if (!Varying.isBy(read.field(), response)) {
                switch (guard.locale()) {
                    case VARY -> {
                        if (!isOpen || !LanguageReads.ACCEPT_LANGUAGE.equals(read.field())) {
                            return true;
                        }
                        Varying.by(LanguageReads.ACCEPT_LANGUAGE, response);
                    }
                    case WARN -> warn(exchange.handler(), read);
                    case OFF -> {}
                }
            }
        }
        return false;
    }

    private void warn(String handler, LanguageReads.Read read) {
        if (logged.add(handler + " language")) {
            var field = read.field();
            log.warn(
                    "{} is public, but its handler or view asked for {}, which depends on the reader, and its Vary does not name {} (logged once). {}, make the language part of the path or a variant, or set spring.web.locale-resolver=fixed; quire.guard.locale=off disables this warning",
                    handler,
                    read.what(),
                    field == null ? "a field for it" : field,
                    LanguageReads.ACCEPT_LANGUAGE.equals(field)
                            ? "Set quire.guard.locale=vary, or send Vary: Accept-Language"
                            : "Declare it private");
        }
    }
}
