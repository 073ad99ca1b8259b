package dev.quire.test.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** Where an application shows its errors, as it would tell its container. */
interface ErrorPages {

    /** The page for a status and what has been thrown; empty if there is none. */
    Optional<String> find(int status, @Nullable Throwable thrown);

    /** Those of an application; none where it is not one of Spring Boot. */
    static ErrorPages of(@Nullable ApplicationContext application) {
        boolean isBoot =
                ClassUtils.isPresent(
                        "org.springframework.boot.web.error.ErrorPageRegistrar",
                        ErrorPages.class.getClassLoader());
        return application == null || !isBoot
                ? (status, thrown) -> Optional.empty()
                : Registered.by(application);
    }

    /** What its registrars say. */
    record Registered(List<ErrorPage> pages) implements ErrorPages {

        static Registered by(ApplicationContext application) {
            var pages = new ArrayList<ErrorPage>();
            application
                    .getBeanProvider(ErrorPageRegistrar.class)
                    .orderedStream()
                    .forEach(registrar ->
                            registrar.registerErrorPages(more -> pages.addAll(List.of(more))));
            return new Registered(List.copyOf(pages));
        }

        /** That of the nearest class of {@code thrown}, else of the status, else of all. */
        @Override
        public Optional<String> find(int status, @Nullable Throwable thrown) {
            for (@Nullable Class<?> type = thrown == null ? null : thrown.getClass();
                    type != null;
                    type = type.getSuperclass()) {
                for (var page : pages) {
                    if (type.equals(page.getException())) {
                        return Optional.of(page.getPath());
                    }
                }
            }
            return pages.stream()
                    .filter(page -> page.getStatusCode() == status)
                    .findFirst()
                    .or(() -> pages.stream().filter(ErrorPage::isGlobal).findFirst())
                    .map(ErrorPage::getPath);
        }
    }
}
