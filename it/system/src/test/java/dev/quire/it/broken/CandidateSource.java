package dev.quire.it.broken;

import dev.quire.test.Assembling;
import dev.quire.test.EsiSite;
import dev.quire.test.junit.internal.SiteSource;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;

/**
 * The site of {@link HealthySite}: the news site, started once per launcher session. Two
 * configuration parameters select assembler and fault.
 */
public final class CandidateSource implements SiteSource {
    /** A constant of {@link Assembler}; default the proxy. */
    static final String ASSEMBLER = "candidate.assembler";

    /** The name of a {@link Fault}; default none. */
    static final String FAULT = "candidate.fault";

    private static final Namespace OURS = Namespace.create(CandidateSource.class);

    /** The assemblers. */
    enum Assembler {
        PROXY,
        PROXY_BETWEEN_SOCKETS,
        APPLICATION;

        private Assembling sound() {
            return switch (this) {
                case PROXY -> Assembling.PROXY;
                case PROXY_BETWEEN_SOCKETS -> Assembling.proxy(setup -> setup);
                case APPLICATION -> Assembling.APPLICATION;
            };
        }
    }

    @Override
    public Optional<Opening> find(ExtensionContext test) {
        if (test.getTestClass().filter(HealthySite.class::equals).isEmpty()) {
            return Optional.empty();
        }
        var news =
                test.getStore(StoreScope.LAUNCHER_SESSION, OURS)
                        .getOrComputeIfAbsent(
                                NewsSite.class, key -> NewsSite.start(), NewsSite.class);
        return Optional.of(
                new Opening(
                        news, () -> EsiSite.over(news.application()).assembledBy(candidate(test))));
    }

    private static Assembling candidate(ExtensionContext test) {
        var sound =
                test.getConfigurationParameter(ASSEMBLER)
                        .map(Assembler::valueOf)
                        .orElse(Assembler.PROXY)
                        .sound();
        return test.getConfigurationParameter(FAULT)
                .map(Fault::named)
                .map(fault -> fault.in(sound))
                .orElse(sound);
    }
}
