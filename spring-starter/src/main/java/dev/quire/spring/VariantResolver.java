package dev.quire.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;

/**
 * One way in which a public response may differ between readers, such as whether they are logged
 * in. A bean of this type gives it a name that {@link EsiFragment#vary()} can use. Each combination
 * of values is stored by itself, so there should be few; anything with a person's name in it is no
 * variant but a private fragment.
 */
public interface VariantResolver {

    /** What it is called: 1 to 32 characters of a-z, 0-9 and -. */
    String name();

    /** All values there are, written like the name. */
    Set<String> values();

    /** The value of readers of whom nothing is known; one of {@link #values}. */
    String initial();

    /**
     * The value of who sends {@code request}, as session and security context have it; one of
     * {@link #values}. What is read for it does not make a response private.
     */
    String resolve(HttpServletRequest request);
}
