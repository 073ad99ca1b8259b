package dev.quire.test.spring;

import dev.quire.spring.internal.handler.FragmentHandlers;
import dev.quire.test.Application;
import dev.quire.test.EsiSite;
import dev.quire.test.FragmentHandler;
import dev.quire.test.Reply;
import dev.quire.test.VariantSignature;
import dev.quire.test.wire.Request;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** An application whose declarations are read from its Spring context. */
final class ContextApplication implements Application {
    private static final boolean STARTER =
            ClassUtils.isPresent(
                    "dev.quire.spring.invalidate.SurrogateClient",
                    ContextApplication.class.getClassLoader());

    private final Application asked;
    private final ApplicationContext context;
    private Runnable untie = () -> {};

    ContextApplication(Application asked, ApplicationContext context) {
        this.asked = asked;
        this.context = context;
    }

    /** Applies the application's invalidations to {@code site}, until this is closed. */
    void tellsAbout(EsiSite site) {
        if (STARTER) {
            untie = Starter.tie(context, site);
        }
    }

    @Override
    public String authority() {
        return asked.authority();
    }

    @Override
    public Reply answer(Request request) {
        return asked.answer(request);
    }

    @Override
    public Told tell(Request request) {
        return asked.tell(request);
    }

    @Override
    public Optional<VariantSignature> variants() {
        var settings = context.getEnvironment();
        return Optional.ofNullable(settings.getProperty("quire.variants.secret"))
                .filter(secret -> !secret.isEmpty())
                .map(secret ->
                        new VariantSignature(
                                settings.getProperty("quire.variants.cookie", "esi-variant"),
                                secret));
    }

    @Override
    public Optional<List<FragmentHandler>> fragments() {
        return STARTER ? Starter.declared(context).or(asked::fragments) : asked.fragments();
    }

    @Override
    public Set<String> takeFieldsRead() {
        return STARTER ? Starter.fieldsRead(context) : asked.takeFieldsRead();
    }

    @Override
    public void close() {
        untie.run();
        asked.close();
    }

    /** A separate class, because it cannot be loaded without the starter. */
    private static final class Starter {
        static Optional<List<FragmentHandler>> declared(ApplicationContext context) {
            return context.getBeanProvider(FragmentHandlers.class).stream().findAny().isEmpty()
                    ? Optional.empty()
                    : Optional.of(SpringFragments.of(context));
        }

        static Set<String> fieldsRead(ApplicationContext context) {
            var recorder = context.getBeanProvider(FieldRecorder.class).getIfUnique();
            return recorder == null ? Set.of() : recorder.take();
        }

        static Runnable tie(ApplicationContext context, EsiSite site) {
            var client = context.getBeanProvider(RecordingSurrogateClient.class).getIfUnique();
            if (client == null) {
                return () -> {};
            }
            client.connect(site);
            return () -> client.disconnect(site);
        }
    }
}
