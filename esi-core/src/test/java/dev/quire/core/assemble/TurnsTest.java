package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page of many tags takes turns with the other work of its thread. */
class TurnsTest {

    private static final int MANY = 100_000;
    private static final Limits WIDE = new Limits(10, 2 * MANY, 32);

    private final ScriptedSource source = new ScriptedSource();
    private final RecordedPage page = new RecordedPage();
    private final ScriptedRequest request = new ScriptedRequest().with("HTTP_HOST", "h");
    private Assembler<CountedBody> assembler = assembler(page);

    private Assembler<CountedBody> assembler(RecordedPage consumer) {
        return new Assembler<>(source, consumer, WIDE, ErrorPolicy.OMIT, request);
    }

    @AfterEach
    void noBodyIsKeptOnceThePageIsOver() {
        assembler.cancel();

        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<esi:vars>$(HTTP_HOST)</esi:vars>.",
                "<esi:assign name='a' value='$(a)1'/>.",
                "<esi:choose><esi:when test=\"$(HTTP_HOST)=='h'\">y</esi:when></esi:choose>.",
                "<esi:try><esi:attempt>a</esi:attempt><esi:except>b</esi:except></esi:try>.",
                "<esi:include src='/s?$(HTTP_HOST)'/>.",
                "<esi:include src='/s'/>."
            })
    void aPageOfManyTagsTakesManyTurnsAndIsTheSame(String tag) {
        source.store("/s", "S");
        source.store("/s?h", "T");
        var atOnce = new RecordedPage();
        var other = assembler(atOnce);
        other.start(AssemblerTest.key("/"), source.body("/", tag.repeat(MANY)));
        other.drain();

        page.takesTurns = true;
        start(tag.repeat(MANY));
        int turns = finish();

        assertThat(turns).isGreaterThan(10);
        assertThat(page.finished).isEqualTo(1);
        assertThat(page.output().equals(atOnce.output())).isTrue();
        assertThat(page.problems).isEqualTo(atOnce.problems);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<esi:foreach collection='[1..9999]'>$(item)<esi:assign name='b' value='$(item)+1'/>"
                        + "</esi:foreach>$(b)",
                "<esi:try><esi:attempt><esi:foreach collection='[1..9999]'><esi:vars>$(item)"
                        + "</esi:vars></esi:foreach></esi:attempt><esi:except/></esi:try>!",
                "<esi:eval src='/long'/><esi:vars>$(c)</esi:vars>",
                "<esi:include src='/long'/>!"
            })
    void loopsAttemptsAndFragmentsTakeTurnsToo(String document) {
        source.store(
                "/long",
                "<esi:foreach collection='[1..9999]'><esi:assign name='c' value='$(item)'/>"
                        + "</esi:foreach>");
        var atOnce = new RecordedPage();
        var other = assembler(atOnce);
        other.start(AssemblerTest.key("/"), source.body("/", document));
        other.drain();

        page.takesTurns = true;
        start(document);
        int turns = finish();

        assertThat(turns).isGreaterThan(2);
        assertThat(page.finished).isEqualTo(1);
        assertThat(page.output()).isEqualTo(atOnce.output());
    }

    @Test
    void aTurnOpensAndWritesAFewFragmentsOfAFixedPlan() {
        source.store("/s", "S");
        page.takesTurns = true;

        start("<esi:include src='/s'/>.".repeat(MANY));

        assertThat(source.bodies).hasSizeLessThan(1_000);
        assertThat(page.output()).hasSizeBetween(100, 2_000);
        assertThat(assembler.isComplete()).isFalse();
        finish();
        assertThat(page.output()).hasSize(2 * MANY);
    }

    @Test
    void aPageHeldUntilItIsCompleteIsWrittenInTurns() {
        page.takesTurns = true;
        page.room = 0;
        start("<esi:vars>$(HTTP_HOST)</esi:vars>.".repeat(10_000));
        finish();
        assertThat(assembler.isComplete()).isTrue();

        page.room = Integer.MAX_VALUE;
        assembler.drain();

        assertThat(page.output()).hasSizeLessThan(10_000);
        finish();
        assertThat(page.output()).hasSize(20_000);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void fetchesInFlightRemainLimited() {
        page.takesTurns = true;
        start(
                IntStream.range(0, 2_000)
                        .mapToObj(i -> "<esi:include src='/" + i + "'/>")
                        .collect(Collectors.joining()));

        assertThat(source.waiting()).hasSize(32);
        source.answer("/0", "A");
        assertThat(source.waiting()).hasSize(32);
        while (!page.turns.isEmpty() || !source.waiting().isEmpty()) {
            finish();
            assertThat(source.waiting()).hasSizeLessThanOrEqualTo(32);
            for (var target : source.waiting()) {
                source.answer(target, "A");
            }
        }

        assertThat(page.output()).hasSize(2_000);
        assertThat(source.requested).startsWith("/0", "/1", "/2").endsWith("/1998", "/1999");
    }

    @Test
    void aPageCancelledBetweenTwoTurnsReleasesAllAndDoesNothingMore() {
        source.store("/s", "<esi:include src='/t'/>".repeat(300));
        source.store("/t", "T");
        page.takesTurns = true;
        page.room = 0;
        start("<esi:include src='/s'/><esi:vars>$(HTTP_HOST)</esi:vars>".repeat(MANY));
        page.turns.removeFirst().run();
        int made = source.bodies.size();

        assembler.cancel();

        assertThat(made).isPositive();
        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
        assertThat(page.turns).hasSize(1);
        finish();
        assertThat(source.bodies).hasSize(made);
        assertThat(page.progressed).isEqualTo(1);
        assertThat(page.output()).isEmpty();
    }

    @Test
    void aDeadlineBetweenTwoTurnsOmitsEveryLaterFragmentThatIsNotStored() {
        page.takesTurns = true;
        start("<esi:include src='/s?$(HTTP_HOST)'/>.".repeat(2_000));

        assembler.expire(new Failure(Side.PROXY, Kind.TIMEOUT, "deadline"));
        assembler.drain();
        finish();

        assertThat(page.output()).isEqualTo(".".repeat(2_000));
        assertThat(page.omitted).hasSize(2_000).containsOnly(Kind.TIMEOUT);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void whatArrivesBetweenTwoTurnsDoesNotOvertakeTheRestOfThePage() {
        page.takesTurns = true;
        start(
                "<esi:include src='/early'/>"
                        + "<esi:vars>$(HTTP_HOST)</esi:vars>".repeat(20_000)
                        + "<esi:inline name='/named' fetchable='false'>N</esi:inline>");

        source.answer("/early", "<esi:include src='/named'/>");
        finish();

        assertThat(source.requested).containsExactly("/early");
        assertThat(page.output()).startsWith("Nh").hasSize(20_001);
    }

    @Test
    void aShortPageTakesOneTurn() {
        source.store("/s", "S");
        page.takesTurns = true;

        start("<esi:vars>$(HTTP_HOST)</esi:vars><esi:include src='/s'/>".repeat(250));

        assertThat(page.turns).isEmpty();
        assertThat(page.finished).isEqualTo(1);
    }

    private void start(String document) {
        assembler = assembler(page);
        page.whenProgressed = assembler::drain;
        assembler.start(AssemblerTest.key("/"), source.body("/", document));
        assembler.drain();
    }

    /** Runs all turns that are due; returns their number. */
    private int finish() {
        int turns = 0;
        for (; !page.turns.isEmpty(); turns++) {
            page.turns.removeFirst().run();
        }
        return turns;
    }
}
