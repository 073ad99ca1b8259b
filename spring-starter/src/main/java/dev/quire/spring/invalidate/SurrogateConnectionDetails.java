package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** Where the surrogates take invalidations; a bean of it replaces {@code quire.surrogate.*}. */
public interface SurrogateConnectionDetails extends ConnectionDetails {

    /** The address of each, without a path unless the product needs one. */
    List<URI> urls();

    /** What they are. */
    SurrogateProperties.Type type();

    /** What makes them listen to us; empty if they ask for nothing. */
    Optional<String> token();
}
