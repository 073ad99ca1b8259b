package dev.quire.spring.internal.assemble;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageAmendment;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import dev.quire.core.policy.ResponseFields;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An assembled page: slices of its parts in document order, and its edits to the response. Held
 * whole, so that the last part may still fail it.
 */
public final class AssembledPage implements PageConsumer<FragmentBody> {

    private static final Logger log = LoggerFactory.getLogger(AssembledPage.class);

    private record Slice(FragmentBody body, int start, int end) {}

    private final CacheKey page;
    private final LogOnce warnings;
    private final List<Slice> slices = new ArrayList<>();
    private PageAmendment amendment = PageAmendment.NONE;
    private @Nullable Failure failure;
    private boolean finished;

    /**
     * An empty page.
     *
     * @param page for the log
     */
    AssembledPage(CacheKey page, LogOnce warnings) {
        this.page = page;
        this.warnings = warnings;
    }

    /** Returns why assembly failed, or null if it did not. */
    @Nullable
    public Failure failure() {
        return failure;
    }

    boolean isFinished() {
        return finished;
    }

    /** Sends the page: status, fields and body. */
    public void sendTo(HttpServletResponse response) throws IOException {
        if (amendment.status() != 0) {
            response.setStatus(amendment.status());
        }
        for (var field : amendment.fields()) {
            if (ResponseFields.isSingle(field.name())) {
                response.setHeader(field.name(), field.value());
            } else {
                response.addHeader(field.name(), field.value());
            }
        }
        long length = 0;
        for (var slice : slices) {
            length += slice.end() - slice.start();
        }
        response.setContentLengthLong(length);
        var out = response.getOutputStream();
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
    }

    @Override
    public void write(byte[] text) {
        write(new FragmentBody(text, HttpServletResponse.SC_OK, null), 0, text.length);
    }

    @Override
    public void write(FragmentStream stream) {
        throw new IllegalStateException("expected whole fragments, got a streamed one");
    }

    @Override
    public void joined(FragmentBody fragment) {}

    @Override
    public void joined(FragmentStream fragment) {}

    /** Every page assembled in the application is for its client alone. */
    @Override
    public void isPersonal() {}

    @Override
    public void omitted(Position include, Failure why) {
        log.warn("{}: the include at {} is omitted: {}", page.url(), include, why);
    }

    @Override
    public void problem(CacheKey document, String what) {
        warnings.warn(document.path(), what);
    }

    @Override
    public void amended(ResponseEdits asked, int status) {
        amendment = PageAmendment.of(asked, status);
        for (var refusal : amendment.refused()) {
            warnings.warn(page.path(), refusal);
        }
        if (amendment.lifetime() != null) {
            warnings.warn(
                    page.path(),
                    "a page that is assembled in the application cannot set Cache-Control");
        }
    }

    @Override
    public void failed(Failure why) {
        log.warn("{} failed: {}", page.url(), why);
        failure = why;
        finished = true;
    }

    @Override
    public void progressed() {}

    @Override
    public void finished() {
        finished = true;
    }
}
