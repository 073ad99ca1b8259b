package dev.quire.test.cases;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Why a case does not apply to assembly inside an application. All other cases must pass there as
 * well.
 */
record OnlyProxy(String reason, Predicate<Case> applies) {

    static final List<OnlyProxy> TABLE =
            List.of(
                    new OnlyProxy(
                            "an application has no fragments of other hosts",
                            one ->
                                    one.origin().keySet().stream()
                                            .anyMatch(name -> !name.startsWith("/"))),
                    new OnlyProxy(
                            "the setting is the proxy's alone",
                            one ->
                                    !InAppSubject.PROPERTIES
                                            .keySet()
                                            .containsAll(one.config().settings().keySet())),
                    new OnlyProxy(
                            "handlers break no connections",
                            one ->
                                    one.origin().values().stream()
                                            .anyMatch(said -> said.fault().isPresent())),
                    new OnlyProxy(
                            "what a handler has encoded is passed on; the container compresses",
                            one -> one.origin().values().stream().anyMatch(OriginAnswer::gzip)),
                    new OnlyProxy(
                            "a handler that blocks the page's own thread cannot be left behind",
                            one -> one.feature().equals("timeout")),
                    new OnlyProxy(
                            "pages assembled inside an application are private and never stored",
                            one -> one.feature().equals("caching")),
                    new OnlyProxy(
                            "the page is asked for by the client itself, not by a surrogate",
                            one -> one.id().equals("sc-capability-sent")));

    static Optional<OnlyProxy> of(Case one) {
        return TABLE.stream().filter(why -> why.applies().test(one)).findFirst();
    }
}
