package dev.quire.test;

import java.util.Optional;

/** The application assembles its pages itself; nothing is kept. */
final class InApplication implements Surrogate {
    private final Application application;

    InApplication(Application application) {
        this.application = application;
    }

    @Override
    public Assembled ask(Request request) {
        return switch (application.answer(request)) {
            case Reply.Whole(var response) -> new Assembled(response, Optional.empty());
            case Reply.Cut(var response, var bytes) ->
                    throw new AssertionError(
                            "expected all of %s, but it broke off behind %d bytes"
                                    .formatted(request, bytes));
            case Reply.None(var why) ->
                    throw new AssertionError(
                            "expected an answer to %s, found none: %s".formatted(request, why));
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
