package dev.quire.it;

import dev.quire.test.junit.internal.OnDisk;
import org.junit.jupiter.api.Nested;

/** The tests of caching and of assembled pages, with responses on disk alone. */
@OnDisk
class CachingOnDiskIT {

    @Nested
    class Caching extends CachingIT {}

    @Nested
    class Coalescing extends CoalescingIT {}

    @Nested
    class Bans extends BansIT {}

    @Nested
    class Validators extends ValidatorsIT {}

    @Nested
    class Ranges extends RangesIT {}

    @Nested
    class RangesFromOrigin extends RangesFromOriginIT {}

    @Nested
    class RangesOfMisses extends RangesOfMissesIT {}

    @Nested
    class Compression extends CompressionIT {}

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
    class OriginFaults extends OriginFaultsIT {}
}
