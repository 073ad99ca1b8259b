package dev.quire.proxy.disk;

import io.netty.channel.DefaultFileRegion;

/** A part of a segment, whose file remains open until it is released. */
final class SegmentRegion extends DefaultFileRegion {
    private final Segment segment;

    /**
     * @param segment retained by the caller
     */
    SegmentRegion(Segment segment, long place, long bytes) {
        super(segment.file(), place, bytes);
        if (!segment.retain()) {
            throw new IllegalStateException("segment " + segment.number() + " is closed");
        }
        this.segment = segment;
    }

    @Override
    protected void deallocate() {
        // The file is that of all readers.
        segment.release();
    }
}
