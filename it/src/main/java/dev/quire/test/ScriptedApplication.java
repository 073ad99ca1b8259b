package dev.quire.test;

/** An application that is an origin with a script, which ends with it. */
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
