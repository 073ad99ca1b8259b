package dev.quire.proxy.cache;

/** Of proxies whose invalidations have the same numbers: a test makes them in each. */
class AlikePositions implements SharedPositions {
    private static final long EPOCH = 7;

    private final Invalidations own;

    AlikePositions(Invalidations own) {
        this.own = own;
    }

    @Override
    public boolean isKnown() {
        return true;
    }

    @Override
    public RecordPosition position(long order, long begun) {
        return new RecordPosition(EPOCH, order);
    }

    @Override
    public long of(RecordPosition position) {
        return position.epoch() == EPOCH && position.number() <= own.newest()
                ? position.number()
                : UNKNOWN;
    }

    @Override
    public long aheadMillis() {
        return 0;
    }
}
