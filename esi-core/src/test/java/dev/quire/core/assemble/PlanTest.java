package dev.quire.core.assemble;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.parse.EsiParser;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.ParsedPage;
import java.nio.ByteBuffer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The number of parts of a document; docs/esi.md, Limits. */
class PlanTest {

    private static final String SILENT = "<esi:include src='/s' onerror='continue'/>";

    @Test
    void asManyIncludesAsAllowedAreAllInThePlan() {
        var plan = plan(parsed("0" + include("a") + include("b") + "1"), 2);

        assertThat(describe(plan)).isEqualTo("1 /a /b 1");
    }

    @Test
    void oneIncludeBeyondTheLimitStandsForAllOfThem() {
        var plan = plan(parsed(include("a") + include("b") + include("x").repeat(200_000)), 2);

        assertThat(describe(plan)).isEqualTo("/a /b /x");
    }

    @Test
    void itIsTheFirstWhoseAbsenceIsAnError() {
        var plan = plan(parsed(include("a") + SILENT + SILENT + include("b") + include("c")), 1);

        assertThat(describe(plan)).isEqualTo("/a /b");
    }

    @Test
    void noneStandsForThoseWhoseAbsenceIsNoError() {
        var plan = plan(parsed("0" + include("a") + SILENT.repeat(5)), 1);

        assertThat(describe(plan)).isEqualTo("1 /a");
    }

    @Test
    void limitOfNoIncludesLeavesTheOneThatTells() {
        var plan = plan(parsed("0" + include("a") + "1" + include("b")), 0);

        assertThat(describe(plan)).isEqualTo("1 /a 1");
    }

    @Test
    void textBetweenDroppedIncludesIsOnePartWhereNoTagPartsIt() {
        var page = parsed("0" + (include("a") + ".").repeat(200_000));

        var plan = plan(page.ofTextAlone(), 2);

        assertThat(describe(plan)).isEqualTo("1 /a 1 /a 1 /a 199998");
    }

    @Test
    void textOnBothSidesOfATagIsNeverJoinedAcrossIt() {
        var plan = plan(parsed("0" + include("a") + "1" + SILENT + "22"), 0);

        assertThat(describe(plan)).isEqualTo("1 /a 1 2");
    }

    private static String include(String name) {
        return "<esi:include src='/" + name + "'/>";
    }

    private static ParsedPage parsed(String document) {
        var parser = new EsiParser();
        parser.feed(ByteBuffer.wrap(document.getBytes(US_ASCII)));
        return parser.finish();
    }

    private static Plan plan(ParsedPage page, int maxFragments) {
        var rules =
                new CompiledPage.Rules(
                        ReferenceResolver.OWN_AUTHORITY, ParseOptions.STANDARD, maxFragments);
        return requireNonNull(CompiledPage.of(page, AssemblerTest.key("/"), rules).fixed());
    }

    /** Each part in order: a text as its length, a fragment as its target. */
    private static String describe(Plan plan) {
        return plan.parts().stream()
                .map(part ->
                        switch (part) {
                            case Plan.Part.Bytes bytes -> "" + bytes.span().length();
                            case Plan.Part.Fragment fragment ->
                                    ((Reference.Allowed) fragment.src()).key().target();
                            default -> throw new AssertionError(part);
                        })
                .collect(Collectors.joining(" "));
    }
}
