package dev.quire.spring.internal.variant;

import dev.quire.spring.EsiVariant;
import dev.quire.spring.internal.exchange.GuardedExchange;
import dev.quire.spring.internal.policy.Precedence;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.view.RedirectView;

/**
 * Determines the variant of a response before its handler runs, and adds it to the model of views.
 * Declarations are validated at start-up.
 */
public final class VariantInterceptor implements HandlerInterceptor, SmartInitializingSingleton {

    /** The name of the values in the model. */
    static final String MODEL = "esiVariant";

    private static final Logger log = LoggerFactory.getLogger(VariantInterceptor.class);

    private record Handler(Class<?> type, Method method) {

        @Override
        public String toString() {
            return type.getName() + "#" + method.getName();
        }
    }

    private record Vary(String annotation, List<String> names) {

        static final Vary NONE = new Vary("@EsiFragment", List.of());
    }

    private final Map<Handler, List<String>> known = new ConcurrentHashMap<>();
    private final DeclaredVariants variants;
    private final boolean hasSecret;
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    /**
     * An interceptor.
     *
     * @param hasSecret whether a signed cookie can name the variant of a client
     */
    public VariantInterceptor(
            DeclaredVariants variants,
            boolean hasSecret,
            ObjectProvider<RequestMappingHandlerMapping> mappings) {
        this.variants = variants;
        this.hasSecret = hasSecret;
        this.mappings = mappings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.forEach(mapping -> mapping.getHandlerMethods().values().forEach(this::declared));
        var varying =
                known.entrySet().stream()
                        .filter(handler -> !handler.getValue().isEmpty())
                        .map(handler -> handler.getKey().toString())
                        .sorted()
                        .toList();
        if (!hasSecret && !varying.isEmpty()) {
            log.warn(
                    "{} declare variants, but quire.variants.secret is not set. Without it no signed variant cookie is issued, so the surrogate can cache only the default variant. Set quire.variants.secret to 32 characters or more, the same as in the configuration of the surrogate",
                    String.join(", ", varying));
        }
    }

    private List<String> declared(HandlerMethod handler) {
        return known.computeIfAbsent(
                new Handler(handler.getBeanType(), handler.getMethod()), this::read);
    }

    /**
     * Returns the variants that an annotation declares; arguments may use no others.
     *
     * @throws IllegalArgumentException naming the handler and the defined variants
     */
    private List<String> read(Handler handler) {
        var vary =
                Precedence.declared(handler.method(), handler.type())
                        .map(declaration ->
                                new Vary(annotation(declaration), declaration.variants()))
                        .orElse(Vary.NONE);
        for (var name : vary.names()) {
            if (!variants.names().contains(name)) {
                throw new IllegalArgumentException(
                        "%s on %s: vary = \"%s\" is not a variant (expected one of %s, or a bean of type VariantResolver for it)"
                                .formatted(vary.annotation(), handler, name, variants.names()));
            }
        }
        for (var parameter : handler.method().getParameters()) {
            var asked = parameter.getAnnotation(EsiVariant.class);
            if (asked != null && !vary.names().contains(asked.value())) {
                throw new IllegalArgumentException(
                        "@EsiVariant(\"%s\") on %s: the method does not declare this variant (expected vary = \"%s\" in %s on the method; it declares %s, available are %s)"
                                .formatted(
                                        asked.value(),
                                        handler,
                                        asked.value(),
                                        vary.annotation(),
                                        vary.names(),
                                        variants.names()));
            }
        }
        return vary.names();
    }

    private static String annotation(Precedence.Declaration declaration) {
        return declaration instanceof Precedence.Declaration.Page ? "@EsiPage" : "@EsiFragment";
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        var exchange = GuardedExchange.of(request);
        if (exchange != null && handler instanceof HandlerMethod method) {
            var declared = declared(method);
            if (!declared.isEmpty()) {
                exchange.variesBy(exchange.unnoticed(() -> variants.choice(request, declared)));
            }
        }
        return true;
    }

    @Override
    public void postHandle(
            HttpServletRequest request,
            HttpServletResponse response,
            Object handler,
            @Nullable ModelAndView model) {
        var exchange = GuardedExchange.of(request);
        if (exchange == null || model == null || !model.hasView() || isRedirect(model)) {
            return;
        }
        exchange.variant().ifPresent(choice -> model.addObject(MODEL, choice.values()));
    }

    /** Whether the view is a redirect, which would append the model to its location. */
    private static boolean isRedirect(ModelAndView model) {
        var name = model.getViewName();
        return model.getView() instanceof RedirectView
                || (name != null && name.startsWith("redirect:"));
    }
}
