package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.http.Scheme;
import dev.quire.core.policy.CacheKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plan, fetch, drain; docs/esi.md, When a fragment fails, and Limits. */
class AssemblerTest {

    private static final Failure TIMEOUT = new Failure(Side.PROXY, Kind.TIMEOUT, "page deadline");
    private static final Failure STATUS = new Failure(Side.ORIGIN, Kind.STATUS, "500");

    private final ScriptedSource source = new ScriptedSource();
    private final RecordedPage page = new RecordedPage();
    private final ScriptedRequest request = new ScriptedRequest();
    private Assembler<CountedBody> assembler = assembler(page, Limits.DEFAULT);

    static CacheKey key(String target) {
        return new CacheKey(Scheme.HTTP, "page.test", target);
    }

    @AfterEach
    void noBodyIsKeptOnceThePageIsOver() {
        assembler.cancel();

        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
    }

    @Test
    void partsLeaveInDocumentOrderThoughAnswersArriveInReverse() {
        start("0<esi:include src='/a'/>1<esi:include src='/b'/>2<esi:include src='/c'/>3");
        page.whenProgressed = assembler::drain;

        source.answer("/c", "C");
        source.answer("/b", "B");
        var before = page.output();
        source.answer("/a", "A");

        assertThat(before).isEqualTo("0");
        assertThat(page.output()).isEqualTo("0A1B2C3");
        assertThat(page.finished).isEqualTo(1);
        assertThat(page.progressed).isEqualTo(3);
    }

    @Test
    void allFragmentsAreAskedForBeforeAnyHasAnswered() {
        start(includes(6));

        assertThat(source.waiting()).containsExactly("/0", "/1", "/2", "/3", "/4", "/5");
        assertThat(assembler.isComplete()).isFalse();
    }

    @Test
    void nothingIsWrittenBeforeTheFirstDrain() {
        source.store("/a", "A");

        assembler.start(key("/"), source.body("/", "0<esi:include src='/a'/>1"));

        assertThat(assembler.isComplete()).isTrue();
        assertThat(page.output()).isEmpty();
        assertThat(page.progressed).isZero();
    }

    @Test
    void aConsumerThatThrowsAtTheEndCostsNoReference() {
        source.store("/a", "all");
        page.whenFinished =
                () -> {
                    throw new IllegalStateException("a fault of the consumer");
                };

        assertThatThrownBy(() -> start("<esi:include src='/a'/> of it"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a fault of the consumer");

        assertThat(page.output()).isEqualTo("all of it");
        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
    }

    @Test
    void theTextInFrontOfTheFirstMissingFragmentDrains() {
        source.store("/a", "A");

        start("0<esi:include src='/a'/>1<esi:include src='/b'/>2");

        assertThat(page.output()).isEqualTo("0A1");
        assertThat(page.finished).isZero();
    }

    @Test
    void theThirtyThirdFetchWaitsUntilOneHasEndedWhileHitsTakeNoSlot() {
        source.store("/hit", "H");

        start("<esi:include src='/hit'/>".repeat(50) + includes(34));
        var first = source.waiting();
        source.answer("/7", "7");

        assertThat(page.output()).isEqualTo("H".repeat(50));
        assertThat(first).hasSize(32).doesNotContain("/32");
        assertThat(source.waiting()).hasSize(32).contains("/32").doesNotContain("/33");
    }

    @Test
    void aFailedFetchFreesItsSlotToo() {
        limits(new Limits(10, 256, 1));
        start(includes(3));

        source.fail("/0", STATUS);
        source.answer("/1", "1");
        source.answer("/2", "2");
        assembler.drain();

        assertThat(page.output()).isEqualTo("12");
    }

    @Test
    void noSlotIsHeldWhileAChildIsAwaited() {
        limits(new Limits(10, 256, 1));
        start("<esi:include src='/a'/>");
        page.whenProgressed = assembler::drain;

        source.answer("/a", "(<esi:include src='/b'/>)");
        source.answer("/b", "[<esi:include src='/c'/>]");
        source.answer("/c", "C");

        assertThat(page.output()).isEqualTo("([C])");
    }

    @Test
    void nestedFragmentsResolveAgainstTheirParentAndStartWhereverTheCursorStands() {
        start("0<esi:include src='/slow'/>1<esi:include src='/x/a'/>2");
        page.whenProgressed = assembler::drain;

        source.answer("/x/a", "(<esi:include src='b'/>)");
        source.answer("/x/b", "B");
        var before = page.output();
        source.answer("/slow", "S");

        assertThat(source.requested).containsExactly("/slow", "/x/a", "/x/b");
        assertThat(source.requests.get(2))
                .isEqualTo(
                        new FragmentRequest(
                                key("/x/b"), key("/x/a"), 2, FragmentTerms.NONE, false));
        assertThat(before).isEqualTo("0");
        assertThat(page.output()).isEqualTo("0S1(B)2");
        assertThat(page.joined).hasSize(3);
    }

    @Test
    void aFragmentThatIncludesItselfIsLeftOutThere() {
        source.store("/a", "a<esi:include src='/b'/>A");
        source.store(
                "/b", "b<esi:include src='/a'/><esi:include src='/'/><esi:include src='/b'/>B");

        start("p<esi:include src='/a'/>P");

        assertThat(page.output()).isEqualTo("pabBAP");
        assertThat(page.omitted).containsExactly(Kind.LOOP, Kind.LOOP, Kind.LOOP);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void theSameFragmentTwiceOnOneLevelIsNoLoop() {
        source.store("/a", "A");

        start("<esi:include src='/a'/><esi:include src='/a'/>");

        assertThat(page.output()).isEqualTo("AA");
    }

    @Test
    void aFragmentBelowTheDeepestLevelIsLeftOut() {
        limits(new Limits(3, 256, 32));
        for (int i = 1; i < 5; i++) {
            source.store("/" + i, i + "<esi:include src='/" + (i + 1) + "'/>" + i);
        }

        start("0<esi:include src='/1'/>0");

        assertThat(page.output()).isEqualTo("01233210");
        assertThat(page.omitted).containsExactly(Kind.DEPTH);
    }

    @Test
    void aChainAsDeepAsAllowedIsAssembled() {
        int depth = 500;
        limits(new Limits(depth, depth, 32));
        for (int i = 1; i < depth; i++) {
            source.store("/" + i, "(<esi:include src='/" + (i + 1) + "'/>)");
        }
        source.store("/" + depth, "x");

        start("<esi:include src='/1'/>");

        assertThat(page.output()).isEqualTo("(".repeat(depth - 1) + "x" + ")".repeat(depth - 1));
    }

    @Test
    void aPageWhoseFragmentsAllIncludeTwoMoreAsksForNoMoreThanTheBudget() {
        limits(new Limits(20, 256, 32));
        start("<esi:include src='/1'/><esi:include src='/2'/>");

        for (int i = 1; i <= 256; i++) {
            source.answer(
                    "/" + i,
                    "<esi:include src='/"
                            + (2 * i + 1)
                            + "'/><esi:include src='/"
                            + (2 * i + 2)
                            + "'/>");
        }
        assembler.drain();

        assertThat(source.requested).hasSize(256);
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void hitsCountForTheBudget() {
        limits(new Limits(10, 3, 32));
        source.store("/a", "A");

        start("<esi:include src='/a'/>".repeat(5));

        assertThat(page.output()).isEqualTo("AAA");
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
    }

    @Test
    void fragmentsBeyondTheBudgetCostOneFailureHoweverManyDocumentsHoldThem() {
        limits(new Limits(10, 256, 256));

        start(includes(256));
        for (int i = 0; i < 256; i++) {
            source.answer("/" + i, "." + includes(400));
        }
        assembler.drain();

        assertThat(page.output()).isEqualTo(".".repeat(256));
        assertThat(source.requested).hasSize(256);
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
    }

    @Test
    void refusedFragmentsCountForTheBudgetSoThatTheyCostNoMoreThanIt() {
        limits(new Limits(10, 3, 32));
        source.store("/a", "A");

        start("<esi:include src='http://evil.test/'/>".repeat(50) + "<esi:include src='/a'/>-");

        assertThat(page.output()).isEqualTo("-");
        assertThat(page.omitted)
                .containsExactly(Kind.DENIED, Kind.DENIED, Kind.DENIED, Kind.BUDGET);
    }

    @Test
    void sourceIsToldWhatIsNotAskedForAndWhy() {
        limits(new Limits(2, 256, 32));
        source.store("/a", "<esi:include src='/b'/>");
        source.store("/b", "<esi:include src='/c'/>");

        start("<esi:include src='http://evil.test/' alt='/'/><esi:include src='/a'/>");

        assertThat(source.refused)
                .containsExactly(
                        "- in / at 1: DENIED", "/ in / at 1: LOOP", "/c in /b at 3: DEPTH");
    }

    @Test
    void fragmentBeyondTheBudgetHasNoAlternative() {
        limits(new Limits(10, 1, 32));
        source.store("/a", "A");

        start("<esi:include src='/a'/>-<esi:include src='/x' alt='/a'/>.");

        assertThat(page.output()).isEqualTo("A-.");
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
    }

    @Test
    void continueBeyondTheBudgetIsNoErrorButWhatFollowsItMayBe() {
        limits(new Limits(10, 1, 32));
        source.store("/a", "A");
        var silent = "<esi:include src='/a' onerror='continue'/>";

        start(silent.repeat(3));
        var told = page.omitted.size();
        limits(new Limits(10, 1, 32));
        start(silent.repeat(3) + "<esi:include src='/a'/>");

        assertThat(told).isZero();
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
    }

    @Test
    void aDeniedReferenceIsNeverAskedFor() {
        start("a<esi:include src='http://evil.test/x'/>b");

        assertThat(page.output()).isEqualTo("ab");
        assertThat(page.omitted).containsExactly(Kind.DENIED);
        assertThat(source.requested).isEmpty();
    }

    @Test
    void theAlternativeStandsInForAFailedFragment() {
        start("a<esi:include src='/x' alt='/y'/>b<esi:include src='http://evil.test/' alt='/z'/>c");
        page.whenProgressed = assembler::drain;

        source.fail("/x", STATUS);
        source.answer("/z", "Z");
        source.answer("/y", "Y");

        assertThat(page.output()).isEqualTo("aYbZc");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void aFragmentIsOmittedAndCountedOnceItsAlternativeHasFailedToo() {
        start("a<esi:include src='/x' alt='/y'/>b");
        page.whenProgressed = assembler::drain;

        source.fail("/x", STATUS);
        source.fail("/y", TIMEOUT);

        assertThat(page.output()).isEqualTo("ab");
        assertThat(page.omitted).containsExactly(Kind.TIMEOUT);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void continueMakesAFailureNoErrorOnceTheAlternativeHasFailed() {
        start(
                "a<esi:include src='/x' alt='/y' onerror='continue'/>b"
                        + "<esi:include src='/z' onerror='continue'/>c");
        page.whenProgressed = assembler::drain;

        source.fail("/z", STATUS);
        source.fail("/x", STATUS);
        source.fail("/y", STATUS);

        assertThat(page.output()).isEqualTo("abc");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void answersGivenBeforeFetchReturnsNeedNoProgress() {
        source.answerAtOnce("/a", () -> source.whole("/a", "A<esi:include src='/b'/>"));
        source.answerAtOnce("/b", () -> source.whole("/b", "B"));
        source.answerAtOnce("/x", () -> new FragmentAnswer.Failed<>(STATUS));
        source.answerAtOnce("/y", () -> source.whole("/y", "Y"));

        start("<esi:include src='/a'/>-<esi:include src='/x' alt='/y'/>");

        assertThat(page.output()).isEqualTo("AB-Y");
        assertThat(page.progressed).isZero();
    }

    @Test
    void aLongRowOfAnswersAtOnceUsesNoStack() {
        int count = 50_000;
        limits(new Limits(10, count, 1));
        source.answerAtOnce("/a", () -> source.whole("/a", "A"));

        start("<esi:include src='/a'/>".repeat(count));

        assertThat(page.output()).hasSize(count);
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void anAnswerAtOnceBehindAnAwaitedOneLeavesOneProgress() {
        limits(new Limits(10, 256, 1));
        source.answerAtOnce("/b", () -> source.whole("/b", "B"));
        start("<esi:include src='/a'/><esi:include src='/b'/>");
        page.whenProgressed = assembler::drain;

        source.answer("/a", "A");

        assertThat(page.progressed).isEqualTo(1);
        assertThat(page.output()).isEqualTo("AB");
    }

    @Test
    void theTurnIsToldOnceToTheFetchThatIsAwaitedNext() {
        start("<esi:include src='/a'/><esi:include src='/b'/>");
        page.whenProgressed = assembler::drain;
        assembler.drain();
        assembler.drain();
        var first = new ArrayList<>(source.turns);

        source.answer("/a", "A");
        assembler.drain();

        assertThat(first).containsExactly("/a");
        assertThat(source.turns).containsExactly("/a", "/b");
    }

    @Test
    void theAlternativeIsToldItsTurnToo() {
        start("<esi:include src='/a' alt='/b'/>");
        page.whenProgressed = assembler::drain;

        source.fail("/a", STATUS);

        assertThat(source.turns).containsExactly("/a", "/b");
    }

    @Test
    void theAlternativeIsToldItsTurnThoughTheFirstFailedWhenToldItsOwn() {
        source.whenTurned("/a", () -> source.fail("/a", STATUS));

        start("<esi:include src='/a' alt='/b'/>");

        assertThat(source.turns).containsExactly("/a", "/b");
        assertThat(source.waiting()).containsExactly("/b");
    }

    @Test
    void aQueuedFragmentWhoseTurnHasComeStartsThoughAllSlotsAreHeld() {
        limits(new Limits(10, 256, 2));
        start("<esi:include src='/a'/><esi:include src='/b'/><esi:include src='/c'/>");
        page.whenProgressed = assembler::drain;

        source.answer("/a", "<esi:include src='/nested'/>");

        assertThat(source.waiting()).containsExactly("/b", "/c", "/nested");
        assertThat(source.turns).containsExactly("/a", "/nested");
    }

    @Test
    void aFragmentThatAnswersWhenItsTurnIsToldIsWrittenInTheSameDrain() {
        source.whenTurned("/a", () -> source.answer("/a", "A"));

        start("0<esi:include src='/a'/>1");

        assertThat(page.output()).isEqualTo("0A1");
        assertThat(page.progressed).isZero();
    }

    @Test
    void aFlowingFragmentHoldsBackWhatIsBehindItUntilItHasBeenWritten() {
        var stream = new RecordedPage.Stream("big");
        start("0<esi:include src='/a'/>1<esi:include src='/b'/>2");
        page.whenProgressed = assembler::drain;

        source.answer("/b", "B");
        source.answer("/a", new FragmentAnswer.Flowing<>(stream));
        assembler.drain();
        var before = page.output();
        assembler.streamed();

        assertThat(before).isEqualTo("0{big}");
        assertThat(page.output()).isEqualTo("0{big}1B2");
        assertThat(page.joined).containsExactly("B", "big");
        assertThat(stream.cancelled).isFalse();
    }

    @Test
    void aFlowingFragmentMayBeOverBeforeItsWriteReturns() {
        source.answerAtOnce(
                "/a", () -> new FragmentAnswer.Flowing<>(new RecordedPage.Stream("big")));
        page.whenWritten = () -> assembler.streamed();

        start("0<esi:include src='/a'/>1");

        assertThat(page.output()).isEqualTo("0{big}1");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void aFlowingFragmentFreesItsSlot() {
        limits(new Limits(10, 256, 1));
        start(includes(2));

        source.answer("/0", new FragmentAnswer.Flowing<>(new RecordedPage.Stream("big")));

        assertThat(source.waiting()).containsExactly("/1");
    }

    @Test
    void aConsumerThatTakesNoMorePausesDraining() {
        source.store("/a", "A");
        page.room = 2;

        start("0<esi:include src='/a'/>1<esi:include src='/a'/>2");
        var first = page.output();
        page.room = 2;
        assembler.drain();
        var second = page.output();
        page.room = 2;
        assembler.drain();

        assertThat(first).isEqualTo("0A");
        assertThat(second).isEqualTo("0A1A");
        assertThat(page.output()).isEqualTo("0A1A2");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void drainingFromInsideAWriteChangesNothing() {
        source.store("/a", "A");
        page.whenWritten = () -> assembler.drain();

        start("0<esi:include src='/a'/>1");

        assertThat(page.output()).isEqualTo("0A1");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void drainingAsSoonAsAFragmentJoinsWaitsUntilItsOwnFragmentsAreKnown() {
        start("0<esi:include src='/a'/>1");
        page.whenJoined = assembler::drain;

        source.answer("/a", "(<esi:include src='/b'/>)");
        source.answer("/b", "B");
        assembler.drain();

        assertThat(page.output()).isEqualTo("0(B)1");
    }

    @Test
    void whatIsMissingWhenThePageExpiresIsOmittedOnEveryLevel() {
        limits(new Limits(10, 256, 3));
        start(
                "0<esi:include src='/a'/>1<esi:include src='/b' alt='/never'/>2"
                        + "<esi:include src='/c' onerror='continue'/>3<esi:include src='/queued'/>4");
        source.answer("/a", "(<esi:include src='/nested'/><esi:include src='/later'/>)");
        assembler.drain();

        assembler.expire(TIMEOUT);
        assembler.drain();

        assertThat(page.output()).isEqualTo("0()1234");
        assertThat(page.finished).isEqualTo(1);
        assertThat(page.omitted).containsOnly(Kind.TIMEOUT).hasSize(4);
        assertThat(source.cancelled).containsExactlyInAnyOrder("/nested", "/b", "/c", "/queued");
        assertThat(source.requested).doesNotContain("/never", "/later");
    }

    @Test
    void anAnswerAfterThePageHasExpiredIsGivenBack() {
        start("0<esi:include src='/a'/>1<esi:include src='/b'/>");
        var stream = new RecordedPage.Stream("late");

        assembler.expire(TIMEOUT);
        source.answer("/a", "A");
        source.answer("/b", new FragmentAnswer.Flowing<>(stream));
        assembler.drain();

        assertThat(page.output()).isEqualTo("01");
        assertThat(stream.cancelled).isTrue();
        assertThat(page.joined).isEmpty();
    }

    @Test
    void aFetchThatAnswersWhileItIsCancelledChangesNothing() {
        source.whenCancelled("/a", () -> source.fail("/a", STATUS));
        source.whenCancelled("/b", () -> source.answer("/b", "B"));
        start("0<esi:include src='/a' alt='/never'/>1<esi:include src='/b'/>2");

        assembler.expire(TIMEOUT);
        assembler.drain();

        assertThat(assembler.isComplete()).isTrue();
        assertThat(page.output()).isEqualTo("012");
        assertThat(page.omitted).containsExactly(Kind.TIMEOUT, Kind.TIMEOUT);
        assertThat(source.requested).containsExactly("/a", "/b");
    }

    @Test
    void cancellingGivesBackWhatHasArrivedAndCancelsWhatHasNot() {
        var stream = new RecordedPage.Stream("big");
        source.store("/hit", "H");
        start(
                "0<esi:include src='/a'/>1<esi:include src='/hit'/><esi:include src='/b'/>"
                        + "<esi:include src='/c'/>");
        source.answer("/b", "(<esi:include src='/hit'/><esi:include src='/nested'/>)");
        source.answer("/c", new FragmentAnswer.Flowing<>(stream));

        assembler.cancel();
        source.answer("/a", "late");
        assembler.drain();

        assertThat(source.cancelled).containsExactlyInAnyOrder("/a", "/nested");
        assertThat(stream.cancelled).isTrue();
        assertThat(source.bodies).hasSize(5).allSatisfy(b -> assertThat(b.references()).isZero());
        assertThat(page.output()).isEqualTo("0");
        assertThat(page.finished).isZero();
    }

    @Test
    void cancellingInTheMiddleOfANestedFragmentGivesBackEveryOpenDocument() {
        source.store("/a", "(<esi:include src='/b'/>)");
        source.store("/b", "[<esi:include src='/slow'/>]");
        start("0<esi:include src='/a'/>1<esi:include src='/a'/>2");

        assembler.cancel();

        assertThat(page.output()).isEqualTo("0([");
        assertThat(source.bodies).hasSize(5).allSatisfy(b -> assertThat(b.references()).isZero());
        assertThat(source.cancelled).containsExactly("/slow", "/slow");
    }

    @Test
    void cancellingFromInsideAnyCallOfTheConsumerLosesNothing() {
        source.store("/a", "A");
        source.store("/d", "(<esi:include src='/a'/><esi:include src='http://x.test/'/>)");
        var document = "0<esi:include src='/d'/><esi:include src='/b'/><esi:include src='/d'/>";

        page.whenJoined = () -> assembler.cancel();
        start(document);
        page.whenJoined = () -> {};
        renew();
        page.whenOmitted = () -> assembler.cancel();
        start(document);
        page.whenOmitted = () -> {};
        renew();
        page.whenWritten = () -> assembler.cancel();
        start(document);
        page.whenWritten = () -> {};
        renew();
        page.whenProgressed = () -> assembler.cancel();
        start(document);
        source.answer("/b", "B");

        assertThat(source.bodies).allSatisfy(b -> assertThat(b.references()).isZero());
        assertThat(page.finished).isZero();
    }

    @Test
    void aFetchIsCancelledThoughThePageWasWhileItBegan() {
        source.answerAtOnce(
                "/a",
                () -> {
                    assembler.cancel();
                    return source.whole("/a", "A");
                });

        start("<esi:include src='/a'/><esi:include src='/b'/>");

        assertThat(source.cancelled).containsExactly("/a");
        assertThat(source.requested).containsExactly("/a");
        assertThat(source.bodies).allSatisfy(b -> assertThat(b.references()).isZero());
    }

    @Test
    void aPageThatIsOverGivesBackEveryBody() {
        source.store("/a", "(<esi:include src='/b'/>)");
        source.store("/b", "B");

        start("0<esi:include src='/a'/>1");

        assertThat(page.finished).isEqualTo(1);
        assertThat(source.bodies).hasSize(3).allSatisfy(b -> assertThat(b.references()).isZero());
    }

    @Test
    void aPageWithoutFragmentsIsItsText() {
        start("a<esi:remove>b</esi:remove>c<esi:comment text='d'/>");

        assertThat(page.output()).isEqualTo("ac");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void everyOrderOfAnswersGivesTheSamePage() {
        var document = includes(5);
        var targets = IntStream.range(0, 5).mapToObj(i -> "/" + i).collect(Collectors.toList());
        for (int round = 0; round < 50; round++) {
            var order = new ArrayList<>(targets);
            Collections.shuffle(order, new Random(round));
            var recorded = new RecordedPage();
            var one = assembler(recorded, new Limits(10, 256, 5));
            recorded.whenProgressed = one::drain;

            one.start(key("/"), source.body("/", document));
            order.forEach(target -> source.answer(target, target));

            assertThat(recorded.output()).isEqualTo("/0/1/2/3/4");
            assertThat(recorded.finished).isEqualTo(1);
        }
    }

    @Test
    void onlyAnEsiDocumentCanBeStarted() {
        assertThatThrownBy(() -> assembler.start(key("/"), CountedBody.plain("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not an ESI document");
    }

    private void limits(Limits limits) {
        assembler = assembler(page, limits);
    }

    /** Starts another page, after the previous one. */
    private void renew() {
        limits(Limits.DEFAULT);
    }

    /** Starts {@code document} as the page at {@code /} and drains finished parts. */
    private Assembler<CountedBody> assembler(RecordedPage consumer, Limits limits) {
        return new Assembler<>(source, consumer, limits, ErrorPolicy.OMIT, request);
    }

    private void start(String document) {
        assembler.start(key("/"), source.body("/", document));
        assembler.drain();
    }

    /** {@code count} includes of {@code /0}, {@code /1} and so on. */
    private static String includes(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "<esi:include src='/" + i + "'/>")
                .collect(Collectors.joining());
    }
}
