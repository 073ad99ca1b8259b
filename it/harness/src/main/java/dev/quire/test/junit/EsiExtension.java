package dev.quire.test.junit;

import dev.quire.test.EsiSite;
import dev.quire.test.Faults;
import dev.quire.test.junit.internal.SiteSource;
import dev.quire.test.wire.TestClock;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestInstancePostProcessor;
import org.opentest4j.TestAbortedException;

/**
 * Provides tests with a site. The site is the one given to {@link #over}; else the member of the
 * test class annotated {@link TestedSite}; else one from a {@link SiteSource}, such as Spring's. It
 * is opened once for a top-level class and reset for each test: empty cache, no logins, the present
 * time.
 *
 * <p>Parameters of methods and constructors may be of type {@link EsiSite}, {@link TestClock} (the
 * clock of the site) and {@link Faults} (no faults, to be extended). Fields of these types are set
 * too, unless they are static, final, annotated or assigned.
 *
 * <p>A failing test shows the pages it has requested: as text, in a suppressed exception, and as a
 * file {@code target/quire/CLASS/METHOD.html} (Gradle: {@code build/quire}; the configuration
 * parameter {@code quire.reports} names another folder), which is published too.
 *
 * <p>Registered by {@link EsiTest}, which also keeps the tests of a class from running in parallel;
 * or as a field with {@code @RegisterExtension}, in which case the user has to prevent that.
 */
public final class EsiExtension
        implements BeforeEachCallback,
                AfterEachCallback,
                ParameterResolver,
                TestInstancePostProcessor,
                TestExecutionExceptionHandler,
                LifecycleMethodExecutionExceptionHandler {

    private static final ExtensionContext.Namespace OURS =
            ExtensionContext.Namespace.create(EsiExtension.class);

    private final @Nullable Supplier<EsiSite> given;

    /** Uses the site of the test class or its framework. */
    public EsiExtension() {
        this(null);
    }

    private EsiExtension(@Nullable Supplier<EsiSite> given) {
        this.given = given;
    }

    /** Uses the site opened by {@code site}, once for a top-level class. */
    public static EsiExtension over(Supplier<EsiSite> site) {
        return new EsiExtension(site);
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        siteOf(test).reset();
    }

    @Override
    public void afterEach(ExtensionContext test) {
        sites(test).requireFinished();
    }

    @Override
    public void postProcessTestInstance(Object instance, ExtensionContext test)
            throws IllegalAccessException {
        for (@Nullable Class<?> type = instance.getClass();
                type != null;
                type = type.getSuperclass()) {
            for (var field : type.getDeclaredFields()) {
                if (isOurs(field.getType()) && isForUs(field)) {
                    field.setAccessible(true);
                    if (field.get(instance) == null) {
                        field.set(instance, value(field.getType(), test));
                    }
                }
            }
        }
    }

    private static boolean isForUs(Field field) {
        int modifiers = field.getModifiers();
        return !Modifier.isStatic(modifiers)
                && !Modifier.isFinal(modifiers)
                && field.getAnnotations().length == 0;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return isOurs(parameter.getParameter().getType())
                && parameter.getParameter().getAnnotations().length == 0;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return value(parameter.getParameter().getType(), test);
    }

    private static boolean isOurs(Class<?> type) {
        return type == EsiSite.class || type == TestClock.class || type == Faults.class;
    }

    private Object value(Class<?> type, ExtensionContext test) {
        if (type == Faults.class) {
            return Faults.none();
        }
        var site = siteOf(test);
        return type == EsiSite.class ? site : site.clock();
    }

    @Override
    public void handleTestExecutionException(ExtensionContext test, Throwable failure)
            throws Throwable {
        throw shown(test, failure);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext test, Throwable failure)
            throws Throwable {
        throw shown(test, failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext test, Throwable failure)
            throws Throwable {
        throw shown(test, failure);
    }

    private Throwable shown(ExtensionContext test, Throwable failure) {
        if (!(failure instanceof TestAbortedException)) {
            var pages = siteOf(test).pages();
            if (!pages.isEmpty()) {
                failure.addSuppressed(AskedPages.written(pages, test));
            }
        }
        return failure;
    }

    /** The site of {@code test}, opened if necessary. */
    private EsiSite siteOf(ExtensionContext test) {
        var sites = sites(test);
        var own = given;
        if (own != null) {
            return sites.of(this, own, false);
        }
        // a nested class may be run in other classes than those it is declared in
        for (var at = test; at.getTestClass().isPresent(); at = at.getParent().orElseThrow()) {
            var named = NamedSite.of(at.getRequiredTestClass());
            if (named.isPresent()) {
                return sites.of(named.get(), named.get()::open, named.get().outlivesTests());
            }
            var known = fromSources(at);
            if (known.isPresent()) {
                return sites.of(known.get().of(), known.get().open(), false);
            }
        }
        throw noSite(test.getRequiredTestClass());
    }

    private static OpenSites sites(ExtensionContext test) {
        return (OpenSites)
                topLevel(test)
                        .getStore(OURS)
                        .getOrComputeIfAbsent(OpenSites.class, type -> new OpenSites());
    }

    private static Optional<SiteSource.Opening> fromSources(ExtensionContext test) {
        for (var source :
                ServiceLoader.load(SiteSource.class, EsiExtension.class.getClassLoader())) {
            var opening = source.find(test);
            if (opening.isPresent()) {
                return opening;
            }
        }
        return Optional.empty();
    }

    private static ExtensionConfigurationException noSite(Class<?> type) {
        return new ExtensionConfigurationException(
                """
                %s names no site to ask. Add to it, for example,

                    @TestedSite
                    static EsiSite site() {
                        return EsiSite.over(URI.create("http://localhost:8080"));
                    }

                or, to test a Spring Boot application, write above the class

                    @SpringBootTest(webEnvironment = RANDOM_PORT)
                    @AutoConfigureEsi(mode = PROXY)
                """
                        .formatted(type.getName())
                        .strip());
    }

    private static ExtensionContext topLevel(ExtensionContext test) {
        var top = test;
        while (top.getParent().isPresent() && top.getParent().get().getTestClass().isPresent()) {
            top = top.getParent().get();
        }
        return top;
    }
}
