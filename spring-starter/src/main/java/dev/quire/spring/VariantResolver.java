package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;

/**
 * A dimension in which a public response may vary between users, such as whether they are logged
 * in. A bean of this type defines a name for {@link EsiFragment#vary()}. Each combination of values
 * is stored separately, so there should be few; data of a single user belongs in a private fragment
 * instead.
 */
public interface VariantResolver {

    /** Returns its name: 1 to 32 characters of a-z, 0-9 and -. */
    String name();

    /** Returns all possible values, in the syntax of the name. */
    Set<String> values();

    /** Returns the value for unknown users; one of {@link #values}. */
    String initial();

    /**
     * Returns the value for the user of {@code request}, from session and security context; one of
     * {@link #values}. Reads during this call do not make a response private.
     */
    String resolve(HttpServletRequest request);
}
