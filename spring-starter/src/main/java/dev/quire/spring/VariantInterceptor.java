package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.view.RedirectView;

/**
 * Finds out the variant of a response before its handler begins, and lets views know it. What
 * handlers declare is checked when the application starts.
 */
final class VariantInterceptor implements HandlerInterceptor, SmartInitializingSingleton {

    /** What views call the values. */
    static final String MODEL = "esiVariant";

    private record Handler(Class<?> type, Method method) {}

    private final Map<Handler, List<String>> known = new ConcurrentHashMap<>();
    private final Variants variants;
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    VariantInterceptor(Variants variants, ObjectProvider<RequestMappingHandlerMapping> mappings) {
        this.variants = variants;
        this.mappings = mappings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        mappings.forEach(mapping -> mapping.getHandlerMethods().values().forEach(this::declared));
    }

    private List<String> declared(HandlerMethod handler) {
        return known.computeIfAbsent(
                new Handler(handler.getBeanType(), handler.getMethod()), this::read);
    }

    /**
     * The variants an annotation names.
     *
     * @throws IllegalArgumentException naming the handler and the variants there are
     */
    private List<String> read(Handler handler) {
        var annotated = Precedence.declared(handler.method(), handler.type());
        var annotation = annotated.map(VariantInterceptor::annotation).orElse("@EsiFragment");
        var declared = annotated.map(VariantInterceptor::vary).orElse(List.of());
        var where = handler.type().getName() + "#" + handler.method().getName();
        for (var name : declared) {
            if (!variants.names().contains(name)) {
                throw new IllegalArgumentException(
                        "%s on %s: vary = \"%s\" is no variant (expected one of %s, or a bean of type VariantResolver that makes it)"
                                .formatted(annotation, where, name, variants.names()));
            }
        }
        for (var parameter : handler.method().getParameters()) {
            var asked = parameter.getAnnotation(EsiVariant.class);
            if (asked != null && !declared.contains(asked.value())) {
                throw new IllegalArgumentException(
                        "@EsiVariant(\"%s\") on %s: the method does not declare it (expected vary = \"%s\" in %s on it; it declares %s, and there are %s)"
                                .formatted(
                                        asked.value(),
                                        where,
                                        asked.value(),
                                        annotation,
                                        declared,
                                        variants.names()));
            }
        }
        return declared;
    }

    private static List<String> vary(Precedence.Declaration declaration) {
        return switch (declaration) {
            case Precedence.Declaration.Fragment(var members) -> List.of(members.vary());
            case Precedence.Declaration.Page(var members, int most) -> List.of(members.vary());
            case Precedence.Declaration.Never() -> List.of();
        };
    }

    private static String annotation(Precedence.Declaration declaration) {
        return switch (declaration) {
            case Precedence.Declaration.Fragment(var members) -> "@EsiFragment";
            case Precedence.Declaration.Page(var members, int most) -> "@EsiPage";
            case Precedence.Declaration.Never() -> "@NoEsi";
        };
    }

    @Override
    public boolean preHandle(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        var exchange = Exchange.of(request);
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
        var exchange = Exchange.of(request);
        if (exchange == null || model == null || !model.hasView() || isRedirect(model)) {
            return;
        }
        exchange.variant().ifPresent(choice -> model.addObject(MODEL, choice.values()));
    }

    /** A redirect would write the model into its location. */
    private static boolean isRedirect(ModelAndView model) {
        var name = model.getViewName();
        return model.getView() instanceof RedirectView
                || (name != null && name.startsWith("redirect:"));
    }
}
