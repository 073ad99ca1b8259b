package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * The addresses that accept invalidations; a bean of this type replaces {@code quire.surrogate.*}.
 */
public interface SurrogateConnectionDetails extends ConnectionDetails {

    /** Returns the address of each surrogate, without a path unless the product needs one. */
    List<URI> urls();

    SurrogateProperties.Type type();

    /** Returns the secret that they require, if any. */
    Optional<String> token();
}
