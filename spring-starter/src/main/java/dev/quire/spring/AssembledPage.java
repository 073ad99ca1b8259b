package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.assemble.Plan;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A page that has been put together: slices of its parts, in document order. */
final class AssembledPage implements PageConsumer<FragmentBody> {

    private static final Logger log = LoggerFactory.getLogger(AssembledPage.class);

    private record Slice(FragmentBody body, int start, int end) {}

    private final String url;
    private final List<Slice> slices = new ArrayList<>();
    private long lengthBytes;
    private boolean finished;

    /**
     * An empty page.
     *
     * @param url for the log
     */
    AssembledPage(String url) {
        this.url = url;
    }

    long lengthBytes() {
        return lengthBytes;
    }

    boolean isFinished() {
        return finished;
    }

    void writeTo(OutputStream out) throws IOException {
        for (var slice : slices) {
            out.write(slice.body().bytes(), slice.start(), slice.end() - slice.start());
        }
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void write(FragmentBody body, int start, int end) {
        slices.add(new Slice(body, start, end));
        lengthBytes += end - start;
    }

    @Override
    public void write(FragmentStream stream) {
        throw new IllegalStateException("fragments are captured whole, one flows");
    }

    @Override
    public void joined(FragmentBody fragment) {}

    @Override
    public void joined(FragmentStream fragment) {}

    @Override
    public void omitted(Plan.Part.Fragment fragment, Failure failure) {
        log.warn(
                "{}: the include at {} is left out: {} ({})",
                url,
                fragment.at(),
                failure.kind(),
                failure.detail());
    }

    @Override
    public void progressed() {}

    @Override
    public void finished() {
        finished = true;
    }
}
