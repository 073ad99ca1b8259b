package dev.quire.core.assemble;

import dev.quire.core.http.AcceptedTypes;
import dev.quire.core.http.Fields;
import dev.quire.core.http.HttpDate;
import dev.quire.core.http.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * An {@link ErrorPage} in the form that the client asks for: a page for those who accept HTML,
 * problem details (RFC 9457) for those who ask for JSON, else text. Without external resources and
 * without details of the failure; the id of the request finds those in the log.
 *
 * @param contentType with its charset where it has one
 * @param policy its Content-Security-Policy
 * @param text ASCII
 */
public record ErrorDocument(ErrorPage page, String contentType, String policy, String text) {
    private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9._-]");

    private static final String STYLE =
            ":root{color-scheme:light dark}"
                    + "body{box-sizing:border-box;display:grid;font:1.125rem/1.5 system-ui,sans-serif;"
                    + "margin:0;min-height:100vh;padding:1.5rem;place-content:center}"
                    + "main{max-width:34rem}"
                    + "h1{font-size:1.75rem;line-height:1.25;margin:0 0 .75rem}"
                    + "p{margin:0 0 1.5rem}"
                    + "footer{font-size:.875rem;opacity:.75;overflow-wrap:anywhere}";

    private static final String NOTHING = "default-src 'none'";
    private static final String STYLED = NOTHING + "; style-src 'sha256-" + sha256(STYLE) + "'";

    /** Whether a client with the request fields {@code request} gets JSON. */
    public static boolean isJson(Fields request) {
        return Weights.of(request).preferJson();
    }

    /** How much a client wants each form. */
    private record Weights(int json, int html, int text) {
        static Weights of(Fields request) {
            var types = AcceptedTypes.of(request);
            return new Weights(
                    types.weight(
                            "application",
                            subtype -> subtype.equals("json") || subtype.endsWith("+json")),
                    types.weight("text", "html"::equals),
                    types.weight("text", "plain"::equals));
        }

        boolean preferJson() {
            return json > 0 && json >= html && json >= text;
        }

        boolean preferHtml() {
            return html > 0 && html >= text;
        }
    }

    /**
     * Returns the form of {@code page} for a request.
     *
     * @param request its fields
     * @param id the id of the request; characters other than letters, digits and {@code -._} are
     *     replaced
     */
    public static ErrorDocument of(ErrorPage page, Fields request, String id) {
        var weights = Weights.of(request);
        var plainId = OTHERS.matcher(id).replaceAll("_");
        if (weights.preferJson()) {
            return new ErrorDocument(
                    page, "application/problem+json", NOTHING, json(page, plainId));
        }
        return weights.preferHtml()
                ? new ErrorDocument(page, "text/html; charset=utf-8", STYLED, html(page, plainId))
                : new ErrorDocument(
                        page,
                        "text/plain; charset=utf-8",
                        NOTHING,
                        page.text() + "\nRequest id: " + plainId + "\n");
    }

    /**
     * Returns its head, with Content-Length.
     *
     * @param wall its Date (RFC 9110 §6.6.1)
     */
    public ResponseHead head(Instant wall) {
        var fields =
                new Fields.Builder()
                        .add("Date", HttpDate.format(wall))
                        .add("Content-Type", contentType)
                        .add("Content-Security-Policy", policy)
                        .add("Cache-Control", "no-store")
                        .add("X-Content-Type-Options", "nosniff")
                        .add("Content-Length", String.valueOf(text.length()));
        return new ResponseHead(page.status(), page.title(), fields.addAll(page.fields()).build());
    }

    private static String json(ErrorPage page, String id) {
        return """
        {"title":"%s","status":%d,"detail":"%s","requestId":"%s"}
        """
                .formatted(page.title(), page.status(), page.text(), id);
    }

    private static String html(ErrorPage page, String id) {
        return """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>%1$d %2$s</title>
        <style>%3$s</style>
        <main>
        <h1>%2$s</h1>
        <p>%4$s</p>
        <footer>Error %1$d. Request id: <code>%5$s</code></footer>
        </main>
        </html>
        """
                .formatted(page.status(), page.title(), STYLE, page.text(), id);
    }

    private static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return Base64.getEncoder()
                    .encodeToString(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
