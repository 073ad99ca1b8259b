package dev.quire.test.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/** The error pages of an application, as it would register them with its container. */
interface ErrorPages {

    /** The page for a status and an exception; empty if absent. */
    Optional<String> find(int status, @Nullable Throwable thrown);

    /** The error pages of {@code application}; none unless it is a Spring Boot application. */
    static ErrorPages of(@Nullable ApplicationContext application) {
        boolean isBoot =
                ClassUtils.isPresent(
                        "org.springframework.boot.web.error.ErrorPageRegistrar",
                        ErrorPages.class.getClassLoader());
        return application == null || !isBoot
                ? (status, thrown) -> Optional.empty()
                : Registered.by(application);
    }

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

        /**
         * The page for the nearest class of {@code thrown}, else for the status, else the global
         * one.
         */
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
