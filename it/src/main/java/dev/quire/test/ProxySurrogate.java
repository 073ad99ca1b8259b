package dev.quire.test;

import java.util.function.UnaryOperator;

/** The real proxy, in front of an origin that passes everything on to the application. */
final class ProxySurrogate implements Surrogate {

    ProxySurrogate(
            Application application, HandSetClock clock, UnaryOperator<RunningProxy.Setup> setup) {
        throw new UnsupportedOperationException(application.authority() + clock + setup);
    }

    @Override
    public Assembled ask(Request request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void purgeTags(String... tags) {}

    @Override
    public void purge(String... targets) {}

    @Override
    public String name() {
        return "the proxy";
    }

    @Override
    public boolean hasCache() {
        return true;
    }

    @Override
    public void close() {}
}
