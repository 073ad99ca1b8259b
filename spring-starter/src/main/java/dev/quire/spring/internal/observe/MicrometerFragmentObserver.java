package dev.quire.spring.internal.observe;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.FragmentObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;

/**
 * Records an observation {@code quire.fragment.render} for each response with a policy. Its parent
 * is the current observation when the handler starts, usually the request, so that traces of pages
 * and fragments are linked by {@code traceparent}.
 */
public record MicrometerFragmentObserver(ObservationRegistry registry) implements FragmentObserver {

    public static final String NAME = "quire.fragment.render";

    @Override
    public Rendering begins(FragmentPolicy policy) {
        if (registry.isNoop()) {
            return Rendering.UNSEEN;
        }
        // all keys from the start: some registries reject keys that are added later
        var observation =
                Observation.createNotStarted(NAME, registry)
                        .contextualName("fragment " + policy.name())
                        .lowCardinalityKeyValue("name", policy.name())
                        .lowCardinalityKeyValue(
                                "scope", policy.scope().name().toLowerCase(Locale.ROOT))
                        .lowCardinalityKeyValue("outcome", "unknown")
                        .lowCardinalityKeyValue("demoted", "none")
                        .start();
        return (exchange, failed) -> {
            observation.lowCardinalityKeyValue("outcome", failed ? "error" : "success");
            exchange.demotion()
                    .ifPresent(reason ->
                            observation.lowCardinalityKeyValue("demoted", reason.token()));
            observation.stop();
        };
    }
}
