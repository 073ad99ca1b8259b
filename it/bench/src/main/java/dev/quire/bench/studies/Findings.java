package dev.quire.bench.studies;

import dev.quire.bench.peers.BarChart;
import dev.quire.bench.peers.Results.Case;
import java.util.List;
import java.util.Map;

/**
 * The result of a study.
 *
 * @param tables Markdown by the name of the place in the text of the study
 * @param groups the picture
 * @param cases the rounds
 * @param faults wrong bodies, failed requests, and wrong counts at the origin
 */
record Findings(
        Map<String, String> tables,
        List<Claim> claims,
        List<BarChart.Group> groups,
        List<Case> cases,
        List<String> faults) {

    /** Whether every response was right; the figures may still miss their bounds. */
    boolean isSound() {
        return faults.isEmpty();
    }
}
