package dev.quire.proxy.disk;

import java.io.IOException;

/** Takes frames in the order of their places. */
interface FrameVisitor {
    void frame(long place, FrameHeader header) throws IOException;
}
