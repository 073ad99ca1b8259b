package dev.quire.bench.studies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.bench.studies.BlogArm.Cpu;
import dev.quire.bench.studies.BlogArm.Measured;
import dev.quire.bench.studies.BlogArm.Minute;
import dev.quire.bench.studies.BlogArm.Pass;
import dev.quire.bench.studies.BlogSite.Counts;
import dev.quire.bench.studies.Claim.Verdict;
import dev.quire.bench.studies.UserLoad.End;
import dev.quire.bench.studies.UserLoad.Outcome;
import dev.quire.bench.studies.UserLoad.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BlogReportTest {
    private static final BlogStudy.Capacity CAPACITY = new BlogStudy.Capacity(60, 30.5, 28 * 1024);
    private static final UserLoad LOAD =
            new UserLoad("blog.example", 50, 2, 90, Duration.ofSeconds(30), 1);

    @Test
    void armsThatReachEveryBoundHold() {
        var findings = report(Map.of(BlogArm.NONE, 16_000.0), 25).findings(List.of());

        assertThat(findings.isSound()).isTrue();
        assertThat(findings.claims())
                .extracting(Claim::verdict)
                .containsOnly(Verdict.HOLDS, Verdict.REPORTED);
        assertThat(findings.tables().get("arms"))
                .contains("| none | 16,000 ms |  | 16,000 ms | 1.00 % |  |")
                .contains(
                        "| Quire | 1,000 ms | 16.0 × | 1,000 ms | 0 % | 90.0 % | 4.1 |"
                                + " 1.0 + 30.0 ms | 800/s |");
        assertThat(findings.tables().get("minutes"))
                .contains("| none | 6.8/s | 6.8/s |")
                .contains("| Quire + Redis | 80.0 % · Redis 75.0 % · 6.8/s |");
        assertThat(findings.groups()).hasSize(3);
    }

    @Test
    void slowerThanVarnishIsMissed() {
        var claims =
                report(Map.of(BlogArm.NONE, 16_000.0, BlogArm.QUIRE, 1100.0), 26)
                        .findings(List.of())
                        .claims();

        assertThat(claims)
                .filteredOn(claim -> claim.verdict() == Verdict.MISSED)
                .extracting(Claim::text)
                .containsExactly(
                        "Quire: at least 16 × as fast as without caches",
                        "mean response: Quire at most 1.0 × Varnish",
                        "the node that joins fetches at most 5 % of the pages");
    }

    /** Every arm with a mean of a second, except {@code means}. */
    private static BlogReport report(Map<String, Double> means, int joining) {
        return new BlogReport(
                BlogArm.all().stream()
                        .map(arm -> measured(arm, means.getOrDefault(arm.name(), 1000.0), joining))
                        .toList(),
                CAPACITY,
                LOAD,
                500);
    }

    private static Measured measured(BlogArm arm, double mean, int joining) {
        boolean isCached = arm.script().isPresent();
        var replies =
                IntStream.range(0, 100)
                        .mapToObj(i ->
                                new Reply(i + 1.0, mean, i > 0 || isCached ? End.RIGHT : End.LATE))
                        .toList();
        var pass =
                new Pass(
                        arm,
                        new Outcome(replies),
                        List.of(
                                new Minute(60, 50, new Counts(10, 410, 30, 10)),
                                new Minute(60, 50, new Counts(10, 410, 30, 10))),
                        new Counts(10, 410, 60, 20),
                        new Cpu(0.1, 3),
                        Optional.of(new HighestRate(800, false)),
                        arm.isJoined() ? OptionalInt.of(joining) : OptionalInt.empty());
        return new Measured(arm, List.of(pass));
    }
}
