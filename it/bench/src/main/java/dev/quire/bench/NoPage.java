package dev.quire.bench;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;

/** Discards a page and counts its bytes. */
final class NoPage implements PageConsumer<HeapBody> {
    long bytes;

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void write(HeapBody body, int start, int end) {
        bytes += end - start;
    }

    @Override
    public void write(byte[] text) {
        bytes += text.length;
    }

    @Override
    public void write(FragmentStream stream) {
        throw new IllegalStateException("expected stored fragments only, found a stream");
    }

    @Override
    public void joined(HeapBody fragment) {}

    @Override
    public void joined(FragmentStream fragment) {}

    @Override
    public void isPersonal() {}

    @Override
    public void omitted(Position include, Failure failure) {}

    @Override
    public void problem(CacheKey document, String what) {}

    @Override
    public void amended(ResponseEdits edits, int status) {}

    @Override
    public void failed(Failure failure) {}

    @Override
    public void progressed() {}

    @Override
    public void finished() {}
}
