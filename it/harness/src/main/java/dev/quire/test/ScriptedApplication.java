package dev.quire.test;

import dev.quire.test.wire.Origin;
import dev.quire.test.wire.Request;

/** An application backed by a scripted origin, which it closes. */
final class ScriptedApplication implements Application {
    private final Origin origin;
    private final Application live;

    ScriptedApplication(Origin origin) {
        this.origin = origin;
        this.live = Application.at(origin.url());
    }

    @Override
    public String authority() {
        return live.authority();
    }

    @Override
    public Reply answer(Request request) {
        return live.answer(request);
    }

    @Override
    public void close() {
        origin.close();
    }
}
