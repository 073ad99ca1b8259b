package dev.quire.test;

import dev.quire.test.wire.Request;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An application with its declared handlers. */
record DeclaringApplication(Application application, List<FragmentHandler> handlers)
        implements Application {

    DeclaringApplication {
        handlers = List.copyOf(handlers);
    }

    @Override
    public String authority() {
        return application.authority();
    }

    @Override
    public Reply answer(Request request) {
        return application.answer(request);
    }

    @Override
    public Told tell(Request request) {
        return application.tell(request);
    }

    @Override
    public Optional<VariantSignature> variants() {
        return application.variants();
    }

    @Override
    public Set<String> takeFieldsRead() {
        return application.takeFieldsRead();
    }

    @Override
    public Optional<List<FragmentHandler>> fragments() {
        return Optional.of(handlers);
    }

    @Override
    public void close() {
        application.close();
    }
}
