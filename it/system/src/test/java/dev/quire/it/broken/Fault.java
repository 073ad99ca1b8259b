package dev.quire.it.broken;

import dev.quire.test.Assembling;
import java.util.List;
import java.util.function.Supplier;

/**
 * A fault, and the expected failures of {@link HealthySite}.
 *
 * @param seenBy the tests that must fail, and no others
 * @param about text in each of their messages
 * @param told text in the message of the first one
 */
record Fault(String name, Supplier<Defect> defect, List<String> seenBy, String about, String told) {

    /** Returns all faults. */
    static List<Fault> all() {
        return List.of(
                new Fault(
                        "drops an include",
                        DropsAnInclude::new,
                        List.of(
                                "frontPageIsMadeOfItsFragments",
                                "whatWasKeptIsNotAskedForAgain",
                                "somethingStandsInForTheMapThatFails"),
                        "/fragments/imprint",
                        "missing: /fragments/imprint"),
                new Fault(
                        "writes in another order",
                        MixesUpTwoFragments::new,
                        List.of(
                                "frontPageIsMadeOfItsFragments",
                                "somethingStandsInForTheMapThatFails"),
                        "appears before /fragments/live",
                        "/fragments/map appears before /fragments/live, although / includes it after that"),
                new Fault(
                        "serves stale too long",
                        ServesStaleForTooLong::new,
                        List.of(
                                "resultsAreFreshForHalfAMinuteAndNeverOlderThanAMinuteAndAHalf",
                                "fragmentsSayWhatTheyMayBeKeptFor"),
                        "/fragments/live",
                        "expected /fragments/live to be served stale for 60s after its lifetime of 30s"),
                new Fault(
                        "mixes users",
                        MixesUsers::new,
                        List.of("eachReaderIsGreeted", "whatWasKeptIsNotAskedForAgain"),
                        "/fragments/me",
                        "expected / to show otto no data of anna"),
                new Fault(
                        "ignores a purge",
                        IgnoresAPurge::new,
                        List.of("newCountRefetchesTheResultsOfItsRegion"),
                        "/fragments/live",
                        "missing: /fragments/live, which has the tags election, region-11, so the invalidation reaches it"),
                new Fault(
                        "ignores a purge by URL",
                        IgnoresAPurgeByUrl::new,
                        List.of(
                                "droppedMapIsFetchedAgain",
                                "resultsAreFreshForHalfAMinuteAndNeverOlderThanAMinuteAndAHalf"),
                        "fetch",
                        "expected purging /fragments/map to refetch /fragments/map only"),
                new Fault(
                        "does not coalesce",
                        DoesNotCoalesce::new,
                        List.of("stampedeIsOneRequest"),
                        "20 readers of /",
                        "expected 20 readers of / to request / from the application once"),
                new Fault(
                        "leaks a tag",
                        LeaksATag::new,
                        List.of("readersGetNothingOfTheTalkWithTheApplication"),
                        "<esi:",
                        "the tag \"<esi:"),
                new Fault(
                        "leaks a field",
                        LeaksAField::new,
                        List.of(
                                "readersGetNothingOfTheTalkWithTheApplication",
                                "fragmentByItselfTellsItsReaderNothingOfItEither"),
                        "Surrogate-Key",
                        "the field Surrogate-Key: front"),
                new Fault(
                        "pastes an error body",
                        PastesAnErrorBody::new,
                        List.of("somethingStandsInForTheMapThatFails"),
                        "/fragments/map",
                        "/fragments/map PASS, although the application answered 503"),
                new Fault(
                        "fetches twice",
                        FetchesTwice::new,
                        List.of(
                                "whatWasKeptIsNotAskedForAgain",
                                "stampedeIsOneRequest",
                                "droppedMapIsFetchedAgain"),
                        "/fragments/map",
                        "unexpected: /fragments/map"),
                new Fault(
                        "keeps a truncated fragment",
                        KeepsATruncatedFragment::new,
                        List.of(
                                "nothingIsShownOfTheMapThatBreaksOff",
                                "mapThatBrokeOffIsAskedForAgain"),
                        "/fragments/map",
                        "/fragments/map answered 200, broken off after 12 bytes"),
                new Fault(
                        "keeps twice as long",
                        () -> new KeepsForAnotherTime(2),
                        List.of(
                                "resultsAreFreshForHalfAMinuteAndNeverOlderThanAMinuteAndAHalf",
                                "fragmentsSayWhatTheyMayBeKeptFor"),
                        "/fragments/live",
                        "expected /fragments/live to be fresh for 30s"),
                new Fault(
                        "keeps half as long",
                        () -> new KeepsForAnotherTime(0.5),
                        List.of(
                                "resultsAreFreshForHalfAMinuteAndNeverOlderThanAMinuteAndAHalf",
                                "fragmentsSayWhatTheyMayBeKeptFor"),
                        "/fragments/live",
                        "already fetched again at 29.999s"));
    }

    /** Returns the fault of this name. */
    static Fault named(String name) {
        return all().stream()
                .filter(fault -> fault.name.equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "no fault '%s' (expected one of %s)".formatted(name, all())));
    }

    /** Returns {@code sound} with this fault, created for each site. */
    Assembling in(Assembling sound) {
        return (application, clock) ->
                new Broken(application, defect.get(), seen -> sound.start(seen, clock));
    }

    /** Returns the test whose message points at the fault. */
    String pointedAtBy() {
        return seenBy.getFirst();
    }

    @Override
    public String toString() {
        return name;
    }
}
