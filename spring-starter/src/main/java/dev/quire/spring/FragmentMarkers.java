package dev.quire.spring;

import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** What is written around fragments for whoever looks at the source of a page. */
@FunctionalInterface
interface FragmentMarkers {

    /**
     * Marks {@code body} where that does no harm.
     *
     * @return whether it is marked now
     */
    boolean mark(
            FragmentPolicy policy,
            List<String> tags,
            HttpServletResponse response,
            ByteArrayOutputStream body);
}
