package dev.quire.spring.invalidate;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * The addresses that accept invalidations; a bean of this type replaces {@code quire.surrogate.*}.
 */
public interface SurrogateConnectionDetails extends ConnectionDetails {

    /** The product of a surrogate. */
    enum Type {
        /** Quire, by its admin API. */
        QUIRE,
        /** Varnish, by requests of method BAN that its VCL handles. */
        VARNISH,
        /** Fastly, or a service with the same purge API. */
        FASTLY,
        /** No surrogate: no invalidations are sent. */
        NONE
    }

    /** Returns the address of each surrogate, without a path unless the product needs one. */
    List<URI> urls();

    Type type();

    /** Returns the secret that they require, if any. */
    Optional<String> token();
}
