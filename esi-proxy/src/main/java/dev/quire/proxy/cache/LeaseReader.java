package dev.quire.proxy.cache;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the records that a fetch gets in place of its lease. */
final class LeaseReader implements SharedLease.Reader {
    private final SharedTier tier;
    private final SharedTier.Use from;
    private final RecordCodec.Wanted wanted;

    LeaseReader(SharedTier tier, SharedTier.Use from, RecordCodec.Wanted wanted) {
        this.tier = tier;
        this.from = from;
        this.wanted = wanted;
    }

    @Override
    public List<SharedRecords.Place> places(@Nullable ByteBuf record) {
        var hash = wanted.key().hash();
        var spec = record == null ? tier.spec(hash) : tier.read(record, hash);
        var sent = wanted.sent();
        return spec == null || sent == null ? List.of() : SharedTier.places(spec, sent);
    }

    @Override
    public @Nullable StoredResponse read(ByteBuf record, SharedRecords.Place place) {
        if (place.variant() == null && tier.read(record, wanted.key().hash()) != null) {
            // The request selects none of these variants.
            return null;
        }
        return tier.read(from, record, wanted, place);
    }

    @Override
    public boolean isHit(StoredResponse response) {
        return tier.isHit(response);
    }
}
