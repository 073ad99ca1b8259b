package dev.quire.bench.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SiteTest {

    @Test
    void assembledPageHasItsTextAndItsFragments() {
        var page = Site.assembled("/page/esi/10", "");

        assertThat(page).hasSize((16 << 10) + 10 * Site.FRAGMENT_BYTES);
        assertThat(new String(page, US_ASCII))
                .contains("<p>/fragment/0: ", "<p>/fragment/9: ")
                .doesNotContain("esi:include");
    }

    @Test
    void objectsOfOneSizeDiffer() {
        var bodies =
                IntStream.range(0, Workload.BULK)
                        .mapToObj(number -> Site.assembled("/many/16384/" + number, ""))
                        .map(HexFormat.of()::formatHex)
                        .collect(Collectors.toSet());

        assertThat(bodies).hasSize(Workload.BULK);
        assertThat(Site.assembled("/many/1048576/0", ""))
                .isEqualTo(Site.assembled("/object/1048576", ""));
        assertThat(Site.assembled("/many/1048576/999", "")).hasSize(1 << 20);
    }

    @Test
    void dialectsDifferInTheirTagsAlone() {
        assertThat(Site.assembled("/news/ssi/front", ""))
                .isEqualTo(Site.assembled("/news/esi/front", ""));
    }

    @Test
    void privateFragmentIsItsReadersOwn() {
        var one = Site.assembled("/personal/esi/10", "a=b; user=one");
        var two = Site.assembled("/personal/esi/10", "user=two");

        assertThat(new String(one, US_ASCII)).contains("reader one: ").doesNotContain("reader two");
        assertThat(one).isNotEqualTo(two).hasSize(two.length);
        assertThat(Site.serve("/mine", "").orElseThrow())
                .returns("private, no-store", Site.Served::cacheControl)
                .returns(Duration.ofMillis(5), Site.Served::delay);
    }

    @Test
    void everyWorkloadAsksForWhatIsThereAndKnowsItsSize() {
        assertThat(Workload.ALL)
                .allSatisfy(workload -> {
                    assertThat(workload.samples(Dialect.ESI))
                            .isNotEmpty()
                            .allSatisfy(path -> assertThat(Site.serve(path, "user=u")).isPresent());
                    assertThat(workload.bodyBytes(Dialect.ESI)).isGreaterThan(1000);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/object/x",
                "/object/-1",
                "/object/99999999999",
                "/page/esi/1001",
                "/page/xml/1",
                "/page/esi",
                "/page/esi/1/2",
                "/many/16384",
                "/many/16384/2001",
                "/news/esi",
                "/news/esi/sport",
                "/packed/"
            })
    void whatIsNotThereIsNothing(String target) {
        assertThat(Site.serve(target, "")).isEmpty();
    }
}
