package dev.quire.spring;

import dev.quire.core.assemble.Failure;
import dev.quire.core.assemble.FragmentStream;
import dev.quire.core.assemble.PageConsumer;
import dev.quire.core.expression.ResponseEdits;
import dev.quire.core.parse.Position;
import dev.quire.core.policy.CacheKey;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A page that has been put together: slices of its parts, in document order, and what they ask of
 * the response. Held whole, so that it may still fail when its last part has come.
 */
final class AssembledPage implements PageConsumer<FragmentBody> {

    private static final Logger log = LoggerFactory.getLogger(AssembledPage.class);

    /** Fields that say how the page may be kept, or how it is framed: not for the page to say. */
    private static final Set<String> OURS =
            Set.of(
                    "age",
                    "cache-control",
                    "cdn-cache-control",
                    "content-encoding",
                    "content-length",
                    "etag",
                    "expires",
                    "last-modified",
                    "pragma",
                    "surrogate-control",
                    "surrogate-key",
                    "transfer-encoding");

    private record Slice(FragmentBody body, int start, int end) {}

    private final CacheKey page;
    private final SaidOnce warnings;
    private final List<Slice> slices = new ArrayList<>();
    private ResponseEdits edits = ResponseEdits.NONE;
    private int primaryStatus;
    private @Nullable Failure failure;
    private boolean finished;

    /**
     * An empty page.
     *
     * @param page for the log
     */
    AssembledPage(CacheKey page, SaidOnce warnings) {
        this.page = page;
        this.warnings = warnings;
    }

    /** Why there is no page, or null if there is one. */
    @Nullable Failure failure() {
        return failure;
    }

    boolean isFinished() {
        return finished;
    }

    /** Sends the page: status, fields and body. */
    void sendTo(HttpServletResponse response) throws IOException {
        int status = edits.status() == 0 ? ofPrimary(primaryStatus) : edits.status();
        if (status != 0) {
            response.setStatus(status);
        }
        for (var field : edits.fields()) {
            if (!OURS.contains(field.name().toLowerCase(Locale.ROOT))) {
                response.addHeader(field.name(), field.value());
            } else {
                warnings.warn(
                        page.path(), "the field " + field.name() + " is not for a page to set");
            }
        }
        var body = edits.body();
        if (body != null) {
            slices.clear();
            write(body.getBytes(StandardCharsets.ISO_8859_1));
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

    /**
     * {@code status} if the page can have it, else 0: it has a body, and answers neither a
     * condition nor a range (RFC 9110 §15).
     */
    private static int ofPrimary(int status) {
        return switch (status) {
            case 204, 205, 206, 304, 416 -> 0;
            default -> status >= 200 && status <= 599 ? status : 0;
        };
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
        throw new IllegalStateException("fragments are captured whole, one flows");
    }

    @Override
    public void joined(FragmentBody fragment) {}

    @Override
    public void joined(FragmentStream fragment) {}

    /** Every page that is assembled here is for its client alone. */
    @Override
    public void isPersonal() {}

    @Override
    public void omitted(Position include, Failure why) {
        log.warn("{}: the include at {} is left out: {}", page.url(), include, why);
    }

    @Override
    public void problem(CacheKey document, String what) {
        warnings.warn(document.path(), what);
    }

    @Override
    public void amended(ResponseEdits asked, int status) {
        edits = asked;
        primaryStatus = status;
    }

    @Override
    public void failed(Failure why) {
        log.warn("{} fails: {}", page.url(), why);
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
