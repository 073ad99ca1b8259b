package dev.quire.test;

import dev.quire.test.internal.Assembled;
import dev.quire.test.internal.Surrogate;
import dev.quire.test.wire.Request;

/**
 * The application assembles its pages itself and has no cache. Its fragments are known only if it
 * reports them.
 */
final class InApplication implements Surrogate {
    private final Application application;
    private final KnownReplies replies;

    InApplication(Application application) {
        this.application = application;
        this.replies = new KnownReplies(application.authority());
    }

    @Override
    public Assembled ask(Request request) {
        var told = application.tell(request);
        return switch (told.reply()) {
            case Reply.Whole(var response) ->
                    new Assembled(
                            response, told.page().map(page -> replies.parts(page, request, 0)));
            case Reply.Cut(var response, var bytes) ->
                    throw new AssertionError(
                            "expected a complete response to %s, but it was cut off after %d bytes"
                                    .formatted(request, bytes));
            case Reply.None(var why) ->
                    throw new AssertionError(
                            "expected a response to %s, found none: %s".formatted(request, why));
        };
    }

    @Override
    public void purgeTags(String... tags) {}

    @Override
    public void purge(String... targets) {}

    @Override
    public String name() {
        return "the application itself";
    }

    @Override
    public boolean hasCache() {
        return false;
    }

    @Override
    public void close() {}
}
