package dev.quire.spring.internal.exchange;

import dev.quire.spring.FragmentPolicy;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** Markers around fragments in the source of a page, for developers. */
@FunctionalInterface
public interface FragmentMarkers {

    /**
     * Marks {@code body} where the document stays valid.
     *
     * @return whether it was marked
     */
    boolean mark(
            FragmentPolicy policy,
            List<String> tags,
            HttpServletResponse response,
            ByteArrayOutputStream body);
}
