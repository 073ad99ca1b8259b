package dev.quire.spring.internal.view;

import dev.quire.spring.FragmentPolicy;
import dev.quire.spring.internal.exchange.FragmentMarkers;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.util.MimeTypeUtils;

/**
 * HTML comments with name, times and tags around each fragment, for development. Only for {@code
 * text/html}, and not for whole documents: a comment before the doctype changes the layout mode of
 * browsers.
 */
public final class CommentMarkers implements FragmentMarkers {

    private static final int BEGINNING = 512;

    @Override
    public boolean mark(
            FragmentPolicy policy,
            List<String> tags,
            HttpServletResponse response,
            ByteArrayOutputStream body) {
        if (!isHtml(response.getContentType())
                || response.containsHeader("Content-Encoding")
                || !isOfAscii(response.getCharacterEncoding())
                || body.size() == 0) {
            return false;
        }
        var bytes = body.toByteArray();
        if (policy.isPage() || isDocument(bytes)) {
            return false;
        }
        body.reset();
        body.writeBytes(comment("fragment " + told(policy, tags)));
        body.writeBytes(bytes);
        body.writeBytes(comment("/fragment " + policy.name()));
        return true;
    }

    private static String told(FragmentPolicy policy, List<String> tags) {
        var told = new StringBuilder(policy.name());
        if (policy.isPrivate()) {
            told.append(" private");
        } else {
            told.append(" ttl=").append(policy.ttl());
            policy.stale().ifPresent(time -> told.append(" stale=").append(time));
        }
        if (!tags.isEmpty()) {
            told.append(" tags=").append(String.join(",", tags));
        }
        return told.toString();
    }

    /** Escapes the text so that it can neither end the comment nor start markup. */
    private static byte[] comment(String text) {
        var harmless = text.replace("<", "&lt;").replace(">", "&gt;").replace("--", "-&#45;");
        return ("<!-- " + harmless + " -->").getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isHtml(@Nullable String contentType) {
        return contentType != null
                && MediaType.TEXT_HTML.includes(
                        MediaType.asMediaType(MimeTypeUtils.parseMimeType(contentType)));
    }

    private static boolean isOfAscii(String charset) {
        return Charset.isSupported(charset) && "<".getBytes(Charset.forName(charset)).length == 1;
    }

    private static boolean isDocument(byte[] bytes) {
        var beginning =
                new String(bytes, 0, Math.min(bytes.length, BEGINNING), StandardCharsets.ISO_8859_1)
                        .toLowerCase(Locale.ROOT);
        return beginning.contains("<!doctype")
                || beginning.contains("<html")
                || beginning.contains("<?xml");
    }
}
