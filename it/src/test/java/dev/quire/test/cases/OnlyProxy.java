package dev.quire.test.cases;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Why a case says nothing about assembly inside an application. What is not listed here must hold
 * there as well.
 */
enum OnlyProxy {
    OTHER_HOST(
            "an application has no fragments of other hosts",
            one -> one.origin().keySet().stream().anyMatch(name -> !name.startsWith("/"))),
    SETTING(
            "the setting is the proxy's alone",
            one -> !InAppSubject.PROPERTIES.keySet().containsAll(one.config().settings().keySet())),
    FAULT(
            "handlers break no connections",
            one -> one.origin().values().stream().anyMatch(said -> said.fault().isPresent())),
    GZIP(
            "what a handler has encoded itself is passed on; the container compresses pages",
            one -> one.origin().values().stream().anyMatch(OriginAnswer::gzip)),
    TIMEOUT(
            "a handler that blocks the page's own thread cannot be left behind",
            one -> one.feature().equals("timeout")),
    CACHE(
            "pages assembled inside an application are private and never stored",
            one -> one.feature().equals("caching")),
    CAPABILITY(
            "the page is asked for by the client itself, not by a surrogate",
            one -> one.id().equals("sc-capability-sent"));

    private final String reason;
    private final Predicate<Case> applies;

    OnlyProxy(String reason, Predicate<Case> applies) {
        this.reason = reason;
        this.applies = applies;
    }

    String reason() {
        return reason;
    }

    static Optional<OnlyProxy> of(Case one) {
        return List.of(values()).stream().filter(why -> why.applies.test(one)).findFirst();
    }
}
