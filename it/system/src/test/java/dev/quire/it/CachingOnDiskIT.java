package dev.quire.it;

import dev.quire.test.junit.internal.OnDisk;
import org.junit.jupiter.api.Nested;

/**
 * The tests of caching and of assembled pages, with responses on disk alone. Without those that
 * look into the memory, one for HEAD (the fragments of its page are not searched on disk), and one
 * of the limit of bans: here the oldest ban makes room, and older responses are hidden.
 */
@OnDisk
class CachingOnDiskIT {

    @Nested
    class Caching extends CachingIT {}

    @Nested
    class Coalescing extends CoalescingIT {
        @Override
        void slowReadersOfWhatIsStoredTakeNoMemory() {}
    }

    @Nested
    class Bans extends BansIT {
        @Override
        void banCanBeCountedFirstAndLifted() {}

        @Override
        void inlineDocumentsNeverAnswerClients() {}

        @Override
        void banIsCompletedOnceNothingIsLeftForIt() {}

        @Override
        void tenThousandBansStandAndOneMoreIsRefused() {}
    }

    @Nested
    class Validators extends ValidatorsIT {
        @Override
        void copyThatHoldsIsConfirmedAndTheConnectionGoesOn(String method) {}
    }

    @Nested
    class Ranges extends RangesIT {}

    @Nested
    class RangesFromOrigin extends RangesFromOriginIT {
        @Override
        void fetchThatOthersWaitForGoesOnWithoutTheClientOfThePart() {}
    }

    @Nested
    class RangesOfMisses extends RangesOfMissesIT {}

    @Nested
    class Compression extends CompressionIT {
        @Override
        void fragmentThatInflatesPastAllBoundsIsLeftOut() {}
    }

    @Nested
    class OperatorFreshness extends OperatorFreshnessIT {}

    @Nested
    class RequestDirectives extends RequestDirectivesIT {}

    @Nested
    class CacheStatus extends CacheStatusIT {}

    @Nested
    class FullCache extends FullCacheIT {}

    @Nested
    class ResponseRules extends ResponseRulesIT {}

    @Nested
    class Assembly extends AssemblyIT {}

    @Nested
    class FragmentTerms extends FragmentTermsIT {}

    @Nested
    class NestedPage extends NestedPageIT {}

    @Nested
    class OriginFaults extends OriginFaultsIT {
        @Override
        void answerThatBreaksOffLeavesTheOlderCopyWhereItWas() {}
    }
}
