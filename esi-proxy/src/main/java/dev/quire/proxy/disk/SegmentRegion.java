package dev.quire.proxy.disk;

import io.netty.channel.DefaultFileRegion;
import java.io.IOException;

/** A part of a segment, whose file remains open until it is released. */
final class SegmentRegion extends DefaultFileRegion {
    private final Segment segment;
    private final Runnable lost;

    /**
     * @param segment retained by the caller
     * @param lost called if the part was not sent since the file does not have it any more
     */
    SegmentRegion(Segment segment, long place, long bytes, Runnable lost) {
        super(segment.file(), place, bytes);
        if (!segment.retain()) {
            throw new IllegalStateException("segment " + segment.number() + " is closed");
        }
        this.segment = segment;
        this.lost = lost;
    }

    @Override
    protected void deallocate() {
        if (transferred() < count() && isCut()) {
            lost.run();
        }
        // The file is that of all readers.
        segment.release();
    }

    private boolean isCut() {
        try {
            return segment.file().size() < position() + count();
        } catch (IOException e) {
            return true;
        }
    }
}
