package dev.quire.proxy.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The builds that nodes register, and the names that others give them in the log. */
class NodeBuildTest {
    private static final NodeBuild OWN = new NodeBuild("1.0", "aa", "a=http://a:80");

    @ParameterizedTest
    @ValueSource(strings = {"", "a=http://a:80", "a=http://a:80,unix:/a b;b=https://b"})
    void isReadAsItWasRegistered(String origins) {
        var build = new NodeBuild("1.0 b", "aa", origins);

        assertThat(NodeBuild.of(build.text())).contains(build);
    }

    @Test
    void nodeOfAnEarlierVersionTellsNoOrigins() {
        assertThat(NodeBuild.of("1.0 b aa")).contains(new NodeBuild("1.0 b", "aa", ""));
        assertThat(NodeBuild.of("")).isEmpty();
    }

    @Test
    void originsHaveOneOrder() {
        assertThat(NodeBuild.text(Map.of("b", List.of("http://2", "http://1"), "a", List.of("x"))))
                .isEqualTo("a=x;b=http://1,http://2");
    }

    @Test
    void longOriginsAreCutButToldApart() {
        var one = NodeBuild.text(Map.of("a", List.of("u".repeat(2_000))));
        var other = NodeBuild.text(Map.of("a", List.of("u".repeat(2_000) + "x")));

        assertThat(one).startsWith("a=uuu").hasSizeLessThan(NodeBuild.MAX_ORIGINS + 30);
        assertThat(other).hasSameSizeAs(one).isNotEqualTo(one);
    }

    @Test
    void nodeWithOtherRulesMayNotFindResponses() {
        assertThat(said(new NodeBuild("1.0", "bb", OWN.origins())))
                .startsWith("b has version 1.0 and configuration bb; this node may not find")
                .doesNotContain("http://");
    }

    @Test
    void nodeThatTellsNoOriginsIsNotSaidToHaveOthers() {
        assertThat(said(new NodeBuild("0.9", "bb", "")))
                .startsWith("b has version 0.9 and configuration bb; this node may not find")
                .doesNotContain("URLs");
    }

    @Test
    void nodeWithOtherUrlsSharesResponses() {
        assertThat(said(new NodeBuild("1.0", "aa", "a=http://b:80")))
                .isEqualTo(
                        "b has origins a=http://b:80; nodes with other URLs of an origin share"
                                + " their responses all the same (this node has the origins"
                                + " a=http://a:80)");
    }

    @Test
    void eachNodeIsNamedWithItsDifferences() {
        var other = new NodeBuild("1.0", "bb", "c=http://c:80");
        var near = new NodeBuild("1.0", "aa", "a=http://b:80");

        assertThat(said(other, near))
                .startsWith(
                        "b has version 1.0 and configuration bb and origins c=http://c:80, b has"
                                + " origins a=http://b:80; this node may not find")
                .endsWith("(this node has the origins a=http://a:80)");
    }

    private static String said(NodeBuild... builds) {
        return UnlikeNodes.text(Arrays.stream(builds).map(NodeBuildTest::node).toList(), OWN);
    }

    private static FleetOverview.Node node(NodeBuild build) {
        return new FleetOverview.Node(
                "b", "01", null, Duration.ZERO, Optional.of(build), false, false);
    }
}
