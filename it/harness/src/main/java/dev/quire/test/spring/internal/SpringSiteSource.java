package dev.quire.test.spring.internal;

import dev.quire.test.junit.internal.SiteSource;
import dev.quire.test.spring.AutoConfigureEsi;
import dev.quire.test.spring.EsiMode;
import dev.quire.test.spring.SpringSite;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Provides a test annotated {@link AutoConfigureEsi} with the site of its context. */
public final class SpringSiteSource implements SiteSource {
    private static final boolean SPRING = isPresent();

    /** For the service loader. */
    public SpringSiteSource() {}

    @Override
    public Optional<Opening> find(ExtensionContext test) {
        return SPRING ? BySpring.find(test) : Optional.empty();
    }

    private static boolean isPresent() {
        try {
            Class.forName(
                    "org.springframework.test.context.TestContextAnnotationUtils",
                    false,
                    SpringSiteSource.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** A separate class, because it cannot be loaded without Spring. */
    private static final class BySpring {

        /** A site is reused as long as its context is. */
        private record Belonging(ApplicationContext context, EsiMode mode) {}

        static Optional<Opening> find(ExtensionContext test) {
            var wanted =
                    TestContextAnnotationUtils.findMergedAnnotation(
                            test.getRequiredTestClass(), AutoConfigureEsi.class);
            if (wanted == null) {
                return Optional.empty();
            }
            var context = SpringExtension.getApplicationContext(test);
            var mode = wanted.mode();
            return Optional.of(
                    new Opening(
                            new Belonging(context, mode), () -> SpringSite.over(context, mode)));
        }
    }
}
