package dev.quire.core.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.assemble.Failure.Kind;
import dev.quire.core.assemble.Failure.Side;
import dev.quire.core.expression.Value.Source;
import dev.quire.core.parse.ParseOptions;
import dev.quire.core.parse.Subrequest.Dca;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages that are evaluated for each request; docs/esi.md, Include to Eval, Limits. */
class EvaluatedPageTest {

    private static final Failure GONE = new Failure(Side.ORIGIN, Kind.STATUS, 404, "404");
    private static final Failure BROKEN = new Failure(Side.ORIGIN, Kind.STATUS, 500, "500");
    private static final Failure LATE = new Failure(Side.ORIGIN, Kind.TIMEOUT, "too late");

    final ScriptedSource source = new ScriptedSource();
    private final RecordedPage page = new RecordedPage();
    private final ScriptedRequest request = new ScriptedRequest();
    private Limits limits = Limits.DEFAULT;
    private ErrorPolicy policy = ErrorPolicy.OMIT;
    private Assembler<CountedBody> assembler = assembler();

    private Assembler<CountedBody> assembler() {
        return new Assembler<>(source, page, limits, policy, request);
    }

    private void start(String document) {
        assembler = assembler();
        assembler.start(
                AssemblerTest.key("/"), source.body("/", document + "<esi:comment text=''/>"));
        page.whenProgressed = assembler::drain;
        assembler.drain();
    }

    @AfterEach
    void noBodyIsKeptOnceThePageIsOver() {
        assembler.cancel();

        assertThat(source.bodies).allSatisfy(body -> assertThat(body.references()).isZero());
    }

    @Test
    void includesOfBranchesNotTakenAreNeverAskedFor() {
        request.with("HTTP_HOST", "a");

        start(
                "<esi:choose><esi:when test=\"$(HTTP_HOST)=='b'\"><esi:include src='/no'/></esi:when>"
                        + "<esi:otherwise><esi:include src='/yes'/></esi:otherwise></esi:choose>"
                        + "<esi:include src='/after'/>");

        assertThat(source.requested).containsExactly("/yes", "/after");
    }

    @Test
    void includesInChooseAndTryAndAfterThemAreInFlightTogether() {
        start(
                "<esi:include src='/a'/><esi:choose><esi:when test='1'><esi:include src='/b'/>"
                        + "</esi:when></esi:choose><esi:try><esi:attempt><esi:include src='/c'/>"
                        + "</esi:attempt><esi:except><esi:include src='/e'/></esi:except></esi:try>"
                        + "<esi:include src='/d'/>");

        assertThat(source.waiting()).containsExactly("/a", "/b", "/c", "/d");
    }

    @Test
    void attemptIsWrittenOnlyOnceAllOfItIsThere() {
        start(
                "0<esi:try><esi:attempt>1<esi:include src='/a'/>2<esi:include src='/b'/>3"
                        + "</esi:attempt><esi:except>no</esi:except></esi:try>4");

        source.answer("/a", "A");
        var before = page.output();
        source.answer("/b", "B");

        assertThat(before).isEqualTo("0");
        assertThat(page.output()).isEqualTo("01A2B34");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void failedAttemptIsCancelledAndItsExceptIsAskedForThen() {
        start(
                "0<esi:try><esi:attempt>1<esi:include src='/a'/>2<esi:include src='/b'/>3"
                        + "</esi:attempt><esi:except>E<esi:include src='/e'/></esi:except></esi:try>4");

        source.answer("/a", "A");
        source.fail("/b", BROKEN);
        source.answer("/e", "X");

        assertThat(page.output()).isEqualTo("0EX4");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void whatStillRunsOfAFailedAttemptIsCancelledAndItsPlaceIsFree() {
        limits = new Limits(10, 256, 2);
        start(
                "<esi:try><esi:attempt><esi:include src='/a'/><esi:include src='/b'/></esi:attempt>"
                        + "</esi:try><esi:include src='/c'/><esi:include src='/d'/>");

        source.fail("/a", BROKEN);

        assertThat(source.cancelled).containsExactly("/b");
        assertThat(source.requested).containsExactly("/a", "/b", "/c", "/d");
    }

    @Test
    void exceptIsChosenByTheStatusThatFailed() {
        var page404 =
                "<esi:try><esi:attempt><esi:include src='/a'/></esi:attempt>"
                        + "<esi:except>any</esi:except><esi:except code='500'>500</esi:except>"
                        + "<esi:except code='404'>404</esi:except></esi:try>";
        start(page404 + page404.replace("/a", "/b") + page404.replace("/a", "/c"));

        source.fail("/a", GONE);
        source.fail("/b", BROKEN);
        source.fail("/c", LATE);

        assertThat(page.output()).isEqualTo("404500any");
    }

    @Test
    void failureInAnExceptGoesToTheTryAroundIt() {
        start(
                "<esi:try><esi:attempt>1<esi:try><esi:attempt><esi:include src='/a'/></esi:attempt>"
                        + "<esi:except><esi:include src='/b'/></esi:except></esi:try></esi:attempt>"
                        + "<esi:except>outer</esi:except></esi:try>");

        source.fail("/a", GONE);
        source.fail("/b", GONE);

        assertThat(page.output()).isEqualTo("outer");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void continueInAnAttemptIsNoFailure() {
        start(
                "<esi:try><esi:attempt>1<esi:include src='/a' onerror='continue'/>2</esi:attempt>"
                        + "<esi:except>E</esi:except></esi:try>");

        source.fail("/a", GONE);

        assertThat(page.output()).isEqualTo("12");
    }

    @Test
    void assignmentsOfAFailedAttemptAreRolledBackAndThoseOfItsExceptStay() {
        start(
                "<esi:assign name='x' value='1'/><esi:try><esi:attempt><esi:assign name='x' value='2'/>"
                        + "<esi:include src='/a'/></esi:attempt><esi:except><esi:vars>$(x)</esi:vars>"
                        + "<esi:assign name='y' value='3'/></esi:except></esi:try>"
                        + "<esi:vars>$(x)$(y)</esi:vars>");

        source.fail("/a", GONE);

        assertThat(page.output()).isEqualTo("113");
    }

    @Test
    void whatFollowsATryThatAssignsIsPlannedOnceItIsDecided() {
        start(
                "<esi:include src='/0'/><esi:try><esi:attempt><esi:assign name='x' value=\"'b'\"/>"
                        + "<esi:include src='/a'/></esi:attempt></esi:try><esi:include src='/$(x)'/>");
        var before = source.waiting();

        source.answer("/a", "A");

        assertThat(before).containsExactly("/0", "/a");
        assertThat(source.waiting()).containsExactly("/0", "/b");
    }

    @Test
    void evaluatedDocumentSharesTheNamespaceAndWhatFollowsWaitsForIt() {
        start(
                "<esi:assign name='p' value='1'/><esi:eval src='/e'/><esi:vars>[$(p)$(q)]</esi:vars>");
        var before = page.output();

        source.answer("/e", "e<esi:vars>$(p)</esi:vars><esi:assign name='q' value='2'/>f");

        assertThat(before).isEmpty();
        assertThat(page.output()).isEqualTo("e1f[12]");
    }

    @Test
    void whatFollowsAnEvalDoesNotWaitForItsFragments() {
        start("<esi:eval src='/e'/><esi:include src='/b'/>");

        source.answer("/e", "(<esi:include src='/a'/><esi:assign name='q' value='2'/>)");

        assertThat(source.waiting()).containsExactly("/a", "/b");
    }

    @Test
    void evalWithItsOwnNamespaceIsReadTwice() {
        start(
                "<esi:assign name='p' value='1'/><esi:eval src='/e' dca='esi'/>[<esi:vars>$(q)</esi:vars>]");

        source.answer(
                "/e",
                "<esi:vars>$(p|'none')</esi:vars><esi:text><esi:vars>$(p)</esi:vars></esi:text>"
                        + "<esi:text><esi:assign name='q' value='7'/></esi:text>"
                        + "<esi:include src='/i'/>");
        source.answer("/i", "I");

        assertThat(page.output()).isEqualTo("none1I[7]");
    }

    @Test
    void evalOfAnotherHostIsDenied() {
        start(
                "<esi:try><esi:attempt><esi:eval src='http://other.test/x'/></esi:attempt>"
                        + "<esi:except>E</esi:except></esi:try>");

        assertThat(page.output()).isEqualTo("E");
        assertThat(source.requested).isEmpty();
    }

    @Test
    void fragmentCannotSeeOrChangeItsParentsVariables() {
        source.store("/f", "<esi:vars>[$(x)]</esi:vars><esi:assign name='x' value='2'/>");

        start("<esi:assign name='x' value='1'/><esi:include src='/f'/><esi:vars>$(x)</esi:vars>");

        assertThat(page.output()).isEqualTo("[]1");
    }

    @Test
    void onerrorFailFailsThePageBeforeAnythingIsWritten() {
        start("0<esi:include src='/a'/><esi:include src='/b' onerror='fail'/>");
        assertThat(assembler.holdsPage()).isTrue();

        source.answer("/a", "A");
        source.fail("/b", LATE);

        assertThat(page.output()).isEmpty();
        assertThat(page.failures).containsExactly(LATE);
        assertThat(page.finished).isZero();
    }

    @Test
    void heldPageIsWrittenOnceAllOfItIsThere() {
        start("0<esi:include src='/a'/><esi:include src='/b' onerror='fail'/>1");

        source.answer("/a", "A");
        var before = page.output();
        source.answer("/b", "B");

        assertThat(before).isEmpty();
        assertThat(page.output()).isEqualTo("0AB1");
        assertThat(page.amended).hasSize(1);
    }

    @Test
    void attemptCatchesWhatWouldFailThePage() {
        start(
                "<esi:try><esi:attempt><esi:include src='/a' onerror='fail'/></esi:attempt>"
                        + "<esi:except>E</esi:except></esi:try>");

        source.fail("/a", LATE);

        assertThat(page.output()).isEqualTo("E");
    }

    @Test
    void documentThatFailsIsAFailedFragmentOfItsParent() {
        start("0<esi:include src='/d' alt='/alt'/><esi:include src='/d2' onerror='continue'/>1");
        source.answer("/d", "d<esi:include src='/x' onerror='fail'/>");
        source.answer("/d2", "d2<esi:include src='/y' onerror='fail'/>");

        source.fail("/x", LATE);
        source.fail("/y", LATE);
        source.answer("/alt", "ALT");

        assertThat(page.output()).isEqualTo("0ALT1");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void policyFailFailsAPageWhoseIncludeSaysNothing() {
        policy = ErrorPolicy.FAIL;
        start("0<esi:include src='/a' onerror='continue'/><esi:include src='/b'/>");

        source.fail("/a", LATE);
        source.fail("/b", GONE);

        assertThat(page.failures).containsExactly(GONE);
    }

    @Test
    void policyFailReachesThroughDocuments() {
        policy = ErrorPolicy.FAIL;
        start("0<esi:include src='/d'/>");
        source.answer("/d", "d<esi:include src='/x'/>");

        source.fail("/x", GONE);

        assertThat(page.failures).containsExactly(GONE);
        assertThat(page.output()).isEmpty();
    }

    @Test
    void primaryFragmentDecidesTheStatus() {
        start("0<esi:include src='/a' primary='true'/>1");

        source.fail("/a", GONE);

        assertThat(page.primaryStatus).isEqualTo(404);
        assertThat(page.output()).isEqualTo("01");
        assertThat(page.omitted).containsExactly(Kind.STATUS);
    }

    @Test
    void primaryFragmentWithoutAnyAnswerFailsThePage() {
        start("0<esi:include src='/a' primary='true'/>1");

        source.fail("/a", LATE);

        assertThat(page.failures).containsExactly(LATE);
    }

    @Test
    void primarySuccessIsTheStatusToo() {
        start("0<esi:include src='/a' primary='true'/>1");

        source.answer("/a", new FragmentAnswer.Whole<>(source.body("/a", "A").withStatus(201)));

        assertThat(page.primaryStatus).isEqualTo(201);
        assertThat(page.output()).isEqualTo("0A1");
    }

    @Test
    void responseFunctionsAreToldBeforeTheFirstPiece() {
        start("0<esi:vars>$add_header('X-A', 'b')$set_response_code(404)</esi:vars>1");

        assertThat(page.amended.getFirst().status()).isEqualTo(404);
        assertThat(page.amended.getFirst().fields()).hasSize(1);
        assertThat(page.output()).isEqualTo("01");
    }

    @Test
    void bodyOfAFunctionStandsForThePage() {
        start("0<esi:vars>$set_response_code(404, 'gone')</esi:vars><esi:include src='/a'/>");

        source.answer("/a", "A");

        assertThat(page.output()).isEqualTo("gone");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void responseFunctionsOfAFailedAttemptAreRolledBack() {
        start(
                "<esi:try><esi:attempt>$add_header('X-A', 'b')<esi:include src='/a'/></esi:attempt>"
                        + "</esi:try>");

        source.fail("/a", GONE);

        assertThat(page.amended.getFirst().fields()).isEmpty();
    }

    @Test
    void pageThatReadsTheClientIsPersonal() {
        request.with("HTTP_COOKIE", "c", Source.CLIENT);

        start("<esi:choose><esi:when test=\"$(HTTP_COOKIE)=='c'\">x</esi:when></esi:choose>");

        assertThat(page.output()).isEqualTo("x");
        assertThat(page.personal).isEqualTo(1);
    }

    @Test
    void pageThatReadsTheAddressIsNot() {
        request.with("QUERY_STRING", "q");

        start("<esi:vars>$(QUERY_STRING)</esi:vars>");

        assertThat(page.output()).isEqualTo("q");
        assertThat(page.personal).isZero();
    }

    @Test
    void escapeIsAppliedToAllOfAFragmentOnce() {
        source.store("/f", "\"<esi:include src='/g' escape='json'/><esi:comment text=''/>\"");
        source.store("/g", "\"");

        start("<esi:include src='/f' escape='json'/>");

        assertThat(page.output()).isEqualTo("\\\"\\\\\\\"\\\"");
    }

    @Test
    void selectCutsTheFinishedFragment() {
        source.store("/f", "<b>x<esi:include src='/g'/></b>\nrest");
        source.store("/g", "G");
        source.store("/plain", "..<b>p</b>\nrest");

        start(
                "<esi:include src='/f' select='<b>'/>|<esi:include src='/plain' select='<b>'/>|"
                        + "<esi:include src='/plain' select='nothing' onerror='continue'/>");

        assertThat(page.output()).isEqualTo("<b>xG</b>|<b>p</b>|");
    }

    @Test
    void selectionThatTakesItsTimeHoldsUpNothingElse() {
        source.store("/plain", "..<b>p</b>\nrest");
        source.store("/none", "nothing");
        source.selectsLater = true;
        start(
                "0<esi:include src='/plain' select='<b>'/><esi:include src='/none' select='<b>'"
                        + " alt='/plain'/><esi:include src='/x'/>1");
        source.answer("/x", "X");
        var before = page.output();

        source.select();

        assertThat(before).isEqualTo("0");
        assertThat(page.output()).isEqualTo("0<b>p</b><b>p</b>X1");
    }

    @Test
    void selectionThatComesTooLateIsDropped() {
        source.store("/plain", "..<b>p</b>\nrest");
        source.selectsLater = true;
        start("0<esi:include src='/plain' select='<b>'/>1");

        assembler.expire(LATE);
        assembler.drain();
        source.select();

        assertThat(page.output()).isEqualTo("01");
    }

    @Test
    void regionIsTheOnlyPartThatIsShownAndFetchedFor() {
        source.store(
                "/f",
                "no<esi:include src='/no'/><esi:fragment name='a'>yes<esi:include src='/g'/>"
                        + "</esi:fragment>no");

        start("[<esi:include src='/f' fragment='a'/>]");
        source.answer("/g", "G");

        assertThat(page.output()).isEqualTo("[yesG]");
        assertThat(source.requested).containsExactly("/g");
    }

    @Test
    void replacementStandsForARegionInTheNamespaceOfTheIncludingPage() {
        source.store("/t/f", "-<esi:fragment name='r'>old<esi:include src='o'/></esi:fragment>-");

        start(
                "<esi:assign name='x' value=\"'n'\"/><esi:include src='/t/f'><esi:replace fragment='r'>"
                        + "<esi:vars>$(x)</esi:vars><esi:include src='i'/></esi:replace></esi:include>");
        source.answer("/i", "I");

        assertThat(page.output()).isEqualTo("-nI-");
        assertThat(source.requested).containsExactly("/i");
    }

    @Test
    void inlineIsWhatLaterIncludesOfItsNameAre() {
        source.store("/x", "X");

        start(
                "<esi:inline name='/in'>i<esi:include src='/x'/></esi:inline>a"
                        + "<esi:include src='/in'/>b<esi:include src='/in'/>");

        assertThat(page.output()).isEqualTo("aiXbiX");
    }

    @Test
    void inlineServesTheFragmentsOfItsDocument() {
        source.store("/t/f", "<esi:include src='/in'/>");

        start("<esi:inline name='/in'>i</esi:inline><esi:include src='/t/f'/>");

        assertThat(page.output()).isEqualTo("i");
    }

    @Test
    void inlineOfAFragmentDoesNotServeThePage() {
        source.store("/in", "own");
        source.store("/t/f", "<esi:inline name='/in'>i</esi:inline><esi:include src='/in'/>");

        start("<esi:include src='/t/f'/><esi:include src='/in'/>");

        assertThat(page.output()).isEqualTo("iown");
    }

    @Test
    void inlineInsideAnInlineIsLeftOutAndToldOf() {
        start(
                "<esi:inline name='/a'>1<esi:inline name='/b'>2</esi:inline>"
                        + "<esi:include src='/a'/>");

        assertThat(page.output()).isEqualTo("1");
        assertThat(page.problems).hasSize(1);
    }

    @Test
    void whatIsOfTheClientAloneNeverReachesAnotherHost() {
        request.with("HTTP_COOKIE", "secret", Source.CLIENT).with("QUERY_STRING", "q");

        start(
                "<esi:include src='/own?$(HTTP_COOKIE)$(QUERY_STRING)'/>"
                        + "<esi:include src='http://other.test/x?$(HTTP_COOKIE)$(QUERY_STRING)'/>");

        assertThat(source.requested).containsExactly("/own?secretq");
    }

    @Test
    void parametersAreAppendedToTheQuery() {
        request.with("QUERY_STRING", "a b&c");

        start(
                "<esi:include src='/p?x=1'><esi:param name='n' value='$(QUERY_STRING)'/></esi:include>"
                        + "<esi:include src='/p'><esi:param name='n' value='1'/></esi:include>");

        assertThat(source.requested).containsExactly("/p?x=1&n=a%20b%26c", "/p?n=1");
    }

    @Test
    void breakInAnAttemptLeavesTheLoopAroundIt() {
        start(
                "<esi:foreach collection='[1,2,3]'>$(item)<esi:try><esi:attempt><esi:choose>"
                        + "<esi:when test='$(item)==2'><esi:break/></esi:when></esi:choose>,"
                        + "</esi:attempt></esi:try></esi:foreach>.");

        assertThat(page.output()).isEqualTo("1,2.");
    }

    @Test
    void loopAsksForAllOfItsFragmentsAtOnce() {
        start("<esi:foreach collection='[1..5]'><esi:include src='/$(item)'/></esi:foreach>");

        assertThat(source.waiting()).containsExactly("/1", "/2", "/3", "/4", "/5");
    }

    @Test
    void includesOfALoopCountAsAnyOthers() {
        limits = new Limits(10, 3, 32);
        source.store("/f", "F");

        start("<esi:foreach collection='[1..500]'><esi:include src='/f'/></esi:foreach>.");

        assertThat(page.output()).isEqualTo("FFF.");
        assertThat(page.omitted).containsExactly(Kind.BUDGET);
    }

    @Test
    void twentyThousandTriesThatAssignCostNoStack() {
        var one = "<esi:try><esi:attempt><esi:assign name='x' value='1'/>.</esi:attempt></esi:try>";

        start(one.repeat(20_000));

        assertThat(page.output()).isEqualTo(".".repeat(20_000));
    }

    @Test
    void pageDeadlineFailsAttemptsAndAsksForNothingMore() {
        source.store("/stored", "S");
        start(
                "0<esi:try><esi:attempt><esi:include src='/a'/></esi:attempt><esi:except>E"
                        + "<esi:include src='/stored'/><esi:include src='/e'/></esi:except></esi:try>"
                        + "<esi:include src='/b' alt='/c'/>1");

        assembler.expire(LATE);
        assembler.drain();

        assertThat(page.output()).isEqualTo("0ES1");
        assertThat(source.requested).containsExactly("/a", "/b");
        assertThat(page.finished).isEqualTo(1);
    }

    @Test
    void attemptThatOutgrowsItsBoundFails() {
        limits = new Limits(10, 256, 32, 10);
        start(
                "<esi:try><esi:attempt><esi:include src='/a'/><esi:include src='/b'/></esi:attempt>"
                        + "<esi:except>E</esi:except></esi:try>");

        source.answer("/a", "123456");
        source.answer("/b", "123456");

        assertThat(page.output()).isEqualTo("E");
    }

    @Test
    void fragmentOfWhatIsHeldMustNotFlow() {
        start(
                "<esi:include src='/a'/><esi:try><esi:attempt><esi:include src='/b'/></esi:attempt>"
                        + "</esi:try><esi:include src='/c' escape='html'/>");

        assertThat(source.requests.stream().map(FragmentRequest::mustBeWhole))
                .containsExactly(false, true, true);
    }

    @Test
    void whatIsMissingFirstHearsOfItsTurnInsideAnAttemptToo() {
        start(
                "<esi:try><esi:attempt><esi:include src='/a'/><esi:include src='/b'/></esi:attempt>"
                        + "</esi:try>");
        source.answer("/a", "A");

        assertThat(source.turns).containsExactly("/a", "/b");
    }

    @Test
    void failureInAReplacementIsThatOfThePageItWasWrittenIn() {
        source.store("/t", "T<esi:fragment name='r'>old</esi:fragment>U");
        start(
                "<esi:try><esi:attempt><esi:include src='/t'><esi:replace fragment='r'>"
                        + "<esi:include src='/x'/></esi:replace></esi:include></esi:attempt>"
                        + "<esi:except>E</esi:except></esi:try>");

        source.fail("/x", GONE);

        assertThat(page.output()).isEqualTo("E");
    }

    @Test
    void onerrorFailInAReplacementFailsThePageItWasWrittenIn() {
        source.store("/t", "T<esi:fragment name='r'>old</esi:fragment>U");
        start(
                "<esi:include src='/t'><esi:replace fragment='r'>"
                        + "<esi:include src='/x' onerror='fail'/></esi:replace></esi:include>");

        source.fail("/x", LATE);

        assertThat(page.failures).containsExactly(LATE);
    }

    @Test
    void whatAFragmentLearnsFromItsAddressIsAsConfidentialAsItWas() {
        request.with("HTTP_COOKIE", "hidden", Source.CLIENT).with("QUERY_STRING", "hidden");
        source.store("/f?hidden", "[<esi:include src='/g' setheader='X-A: $(QUERY_STRING)'/>]");

        start("<esi:include src='/f?$(HTTP_COOKIE)'/>");

        assertThat(page.output()).isEqualTo("[");
        assertThat(source.requests.getLast().terms().fieldsFromReader()).containsExactly("x-a");
        assertThat(page.personal).isEqualTo(1);
    }

    @Test
    void responseFunctionsOfAFragmentAreToldOfAndDoNothing() {
        source.store("/f", "f<esi:vars>$add_header('X-A', 'b')</esi:vars>");

        start("<esi:include src='/f'/><esi:vars>$set_response_code(404)</esi:vars>");

        assertThat(page.output()).isEqualTo("f");
        assertThat(page.amended.getFirst().fields()).isEmpty();
        assertThat(page.problems)
                .containsExactly("/f: response functions are allowed only in the page itself");
    }

    @Test
    void loopCannotRepeatTextWithoutBound() {
        start("<esi:foreach collection='[1..10000]'>" + "x".repeat(10_000) + "</esi:foreach>.");

        assertThat(page.output()).hasSizeBetween(1_000_000, 16 << 20).endsWith("x.");
        assertThat(page.problems).hasSize(1);
    }

    @Test
    void clientThatGoesAwayDropsWhatAttemptsHold() {
        start(
                "<esi:try><esi:attempt><esi:include src='/a'/><esi:include src='/b'/></esi:attempt>"
                        + "</esi:try>"
                        + IntStream.range(0, 3)
                                .mapToObj(i -> "<esi:include src='/" + i + "'/>")
                                .collect(Collectors.joining()));
        source.answer("/a", "A");

        assembler.cancel();

        assertThat(source.cancelled).containsExactly("/b", "/0", "/1", "/2");
    }

    @Test
    void fragmentThatIsReadAsDocumentMustNotFlow() {
        start(
                "<esi:include src='/a' dca='esi'/><esi:include src='/b' fragment='x'/>"
                        + "<esi:eval src='/c'/>");

        assertThat(source.requests.stream().map(FragmentRequest::mustBeWhole))
                .containsExactly(true, true, true);
    }

    @Test
    void partOfARegionIsSelected() {
        start("<esi:include src='/f' fragment='x' select='<b>'/>");

        source.answer("/f", "<b>0\n<esi:fragment name='x'>1<b>2</esi:fragment>");

        assertThat(page.output()).isEqualTo("<b>2");
        assertThat(page.omitted).isEmpty();
    }

    @Test
    void alternativeOnAnotherHostIsNotToldWhatTheFirstWasTold() {
        var rules =
                new CompiledPage.Rules(
                        new ReferenceResolver(Set.of("other.test")), ParseOptions.STANDARD, 256);
        var text =
                "<esi:include src='/a' alt='http://other.test/b' dca='esi'"
                        + " setheader='X-User: $(HTTP_COOKIE)' appendheader='X-Page: own'/>";
        var body =
                CountedBody.made(
                        text,
                        CompiledPage.of(
                                text.getBytes(StandardCharsets.US_ASCII),
                                AssemblerTest.key("/"),
                                rules));
        request.with("HTTP_COOKIE", "eve", Source.CLIENT);
        assembler.start(AssemblerTest.key("/"), body);

        source.fail("/a", BROKEN);

        assertThat(source.requests.getFirst().terms().fields())
                .extracting(FragmentTerms.FieldEdit::value)
                .containsExactly("eve", "own");
        assertThat(source.requests.getLast().terms().fields())
                .extracting(FragmentTerms.FieldEdit::value)
                .containsExactly("own");
        assertThat(source.requests.getLast().terms().dca()).isEqualTo(Dca.UNSAID);
    }

    @Test
    void loopThatMakesTooManyPartsIsLeftAndWhatFollowsIsThere() {
        page.room = 0;
        start(
                "<esi:foreach collection='[1..10000]'>"
                        + "<esi:include src='/a' onerror='continue'/>".repeat(1_000)
                        + "</esi:foreach><esi:include src='/b' onerror='continue'/>");

        assertThat(page.problems).hasSize(1).first().asString().contains("exceeds its evaluation");
        assertThat(source.requested).hasSize(32);
    }

    @Test
    void namespacesAreCopiedNoMoreOftenThanTheyMay() {
        var assigns =
                IntStream.range(0, 3_000)
                        .mapToObj(i -> "<esi:assign name='a" + i + "' value='1'/>")
                        .collect(Collectors.joining());

        start(
                assigns
                        + "<esi:try><esi:attempt>1</esi:attempt><esi:except>2</esi:except></esi:try>"
                                .repeat(3_000));

        assertThat(page.output()).isEqualTo("1".repeat(3_000));
        assertThat(page.problems).isNotEmpty();
    }

    @Test
    void documentThatIsMadeAnewIsNoLargerThanWhatMayBeHeld() {
        limits = new Limits(10, 256, 32, 1 << 20);
        start("<esi:include src='/f' select='<b>'/>|");

        source.answer(
                "/f",
                "<esi:foreach collection='[1..10000]'>" + "<b>".repeat(1_000) + "</esi:foreach>");

        assertThat(page.output()).isEqualTo("|");
        assertThat(page.omitted).containsExactly(Kind.TOO_LARGE);
    }

    @Test
    void inlinesThatAreNeverClosedDoNotHoldOneAnother() {
        start("<esi:inline name='/a'>".repeat(20_000));

        assertThat(page.output()).isEmpty();
        assertThat(page.finished).isEqualTo(1);
    }
}
