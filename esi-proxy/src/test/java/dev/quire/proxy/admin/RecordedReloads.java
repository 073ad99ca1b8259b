package dev.quire.proxy.admin;

import dev.quire.proxy.config.ConfigurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Records its calls and answers each with {@code next}. */
final class RecordedReloads implements ConfigurationActions {
    final List<Object> calls = new ArrayList<>();
    Outcome next = new Outcome.InUse(8, true, Optional.empty(), List.of());

    record Reload(ReloadTerms terms, boolean dryRun) {}

    record Use(String text, OptionalLong expected, ReloadTerms terms, boolean dryRun) {}

    record Back(OptionalLong generation) {}

    private Outcome answered(Object call) {
        calls.add(call);
        return next;
    }

    @Override
    public Outcome reload(ReloadTerms terms, boolean dryRun) {
        return answered(new Reload(terms, dryRun));
    }

    @Override
    public Outcome use(
            ConfigurationText text, OptionalLong expected, ReloadTerms terms, boolean dryRun) {
        return answered(new Use(text.text(), expected, terms, dryRun));
    }

    @Override
    public Outcome confirm() {
        return answered("confirm");
    }

    @Override
    public Outcome rollback(OptionalLong generation) {
        return answered(new Back(generation));
    }

    @Override
    public List<Generation> generations() {
        return List.of(
                new Generation(
                        8,
                        Duration.ofSeconds(2),
                        "reload",
                        7,
                        99,
                        true,
                        Optional.of(Duration.ofSeconds(58))));
    }

    @Override
    public CurrentText current() {
        return new CurrentText(8, "a: b\n");
    }

    @Override
    public CurrentText effective() {
        return new CurrentText(8, "a: b\nc: d\n");
    }
}
