package dev.quire.bench.studies;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Results.Case;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The results of the parts of a study. Not thread-safe. */
final class PartResults {
    private final Map<String, String> tables = new HashMap<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<BarChart.Group> groups = new ArrayList<>();
    private final List<Case> cases = new ArrayList<>();

    /**
     * Adds a table.
     *
     * @param place in the text of the study
     */
    void table(String place, String markdown) {
        tables.put(place, markdown);
    }

    void claim(Claim claim) {
        claims.add(claim);
    }

    void group(BarChart.Group group) {
        groups.add(group);
    }

    void rounds(Case one) {
        cases.add(one);
    }

    Findings findings(List<String> faults) {
        return new Findings(
                Map.copyOf(tables),
                List.copyOf(claims),
                List.copyOf(groups),
                List.copyOf(cases),
                faults);
    }
}
