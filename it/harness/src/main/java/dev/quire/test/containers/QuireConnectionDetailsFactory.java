package dev.quire.test.containers;

import dev.quire.spring.invalidate.SurrogateConnectionDetails;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;

/**
 * Provides the starter with the address of a {@link QuireContainer}; Spring Boot finds it by name.
 */
final class QuireConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<QuireContainer, SurrogateConnectionDetails> {

    @Override
    protected SurrogateConnectionDetails getContainerConnectionDetails(
            ContainerConnectionSource<QuireContainer> source) {
        return new Details(source);
    }

    /**
     * Provides the container's address, and passes it the application's port once that is known.
     */
    private static final class Details extends ContainerConnectionDetails<QuireContainer>
            implements SurrogateConnectionDetails, ApplicationListener<WebServerInitializedEvent> {

        Details(ContainerConnectionSource<QuireContainer> source) {
            super(source);
        }

        @Override
        public List<URI> urls() {
            return List.of(getContainer().admin());
        }

        @Override
        public SurrogateConnectionDetails.Type type() {
            return SurrogateConnectionDetails.Type.QUIRE;
        }

        @Override
        public Optional<String> token() {
            return Optional.of(getContainer().token());
        }

        @Override
        public void onApplicationEvent(WebServerInitializedEvent started) {
            // A separate management server has a name.
            if (started.getApplicationContext().getServerNamespace() == null) {
                getContainer().inFrontOfApplication(started.getWebServer().getPort());
            }
        }
    }
}
