package dev.quire.proxy.cel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quire.core.rule.ConditionCompiler;
import dev.quire.core.rule.Phase;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class LibraryLoadingTest {

    /** Loads the proxy and the library by itself, and the core's types as everywhere. */
    private static final class Recording extends URLClassLoader {
        private final Set<String> loaded = ConcurrentHashMap.newKeySet();

        Recording() {
            super(classPath(), LibraryLoadingTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolves) throws ClassNotFoundException {
            boolean isOwn =
                    name.startsWith("dev.cel.")
                            || name.startsWith("dev.quire.proxy.cel.")
                            || name.startsWith("com.google.");
            if (!isOwn) {
                return super.loadClass(name, resolves);
            }
            synchronized (getClassLoadingLock(name)) {
                loaded.add(name);
                var known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }

        private long ofLibraries() {
            return loaded.stream().filter(name -> !name.startsWith("dev.quire.")).count();
        }
    }

    @Test
    void theLibraryIsLoadedWithTheFirstExpression() throws Exception {
        try (var classes = new Recording()) {
            var conditions =
                    (ConditionCompiler)
                            classes.loadClass(CelExpressions.class.getName())
                                    .getConstructor()
                                    .newInstance();
            conditions
                    .getClass()
                    .getMethod("templatesOf", Phase.class)
                    .invoke(conditions, Phase.REQUEST);
            assertThat(classes.loaded).contains(CelExpressions.class.getName());
            assertThat(classes.ofLibraries()).isZero();

            conditions.compile("path == '/'", Phase.REQUEST);

            assertThat(classes.ofLibraries()).isGreaterThan(100);
        }
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(LibraryLoadingTest::url)
                .toArray(URL[]::new);
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
