package dev.quire.bench.studies;

import dev.quire.bench.CannotMeasure;
import java.io.IOException;

/** An election night: what a news site's cache must survive. */
final class Election implements Study {

    @Override
    public String name() {
        return "election";
    }

    @Override
    public String title() {
        return "An election night";
    }

    /** Its parts have loads of a minute. */
    @Override
    public int rounds(int asked) {
        return 1;
    }

    @Override
    public Findings run(Stage stage) throws CannotMeasure, IOException, InterruptedException {
        var found = new PartResults();
        Mix.measure(stage, found);
        Kill.measure(stage, found);
        ShortLived.measure(stage, found);
        Outage.measure(stage, found);
        Bans.measure(stage, found);
        Crowd.measure(stage, found);
        Editor.measure(stage, found);
        Eviction.measure(stage, found);
        return found.findings(stage.faults());
    }
}
