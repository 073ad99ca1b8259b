package dev.quire.proxy.lint;

import dev.quire.core.http.Fields;
import dev.quire.core.policy.SurrogateControl;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A page as read from a file or URL. Its bytes must not be modified.
 *
 * @param bytes of the page
 * @param address the final URL; absent for a file
 * @param ofResponse findings about the response
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PageDocument(
        byte[] bytes, PageType type, Optional<URI> address, List<Finding> ofResponse) {

    /** The largest page, the default of {@code esi.max-document}. */
    static final int MAX_BYTES = 8 << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Number of bytes examined to detect binary content. */
    private static final int PROBE_BYTES = 1024;

    public PageDocument {
        ofResponse = List.copyOf(ofResponse);
    }

    /**
     * Reads the page {@code name}: an http or https URL, else a file.
     *
     * @param type type of a file, if its name does not show it
     * @param deviceToken our name in {@code Surrogate-Capability}
     * @param contentTypes media types that are parsed
     * @throws UnreadablePage if the page is missing, too long or not text
     */
    public static PageDocument named(
            String name, Optional<PageType> type, String deviceToken, List<String> contentTypes)
            throws UnreadablePage, InterruptedException {
        try {
            if (name.startsWith("http://") || name.startsWith("https://")) {
                return at(new URI(name), deviceToken, contentTypes);
            }
            return in(Path.of(name), type);
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new UnreadablePage("is not a file name or URL", "a file, or http://HOST/PATH");
        }
    }

    /**
     * Reads the page in {@code file}.
     *
     * @param type its type, if its name does not show it
     * @throws UnreadablePage if the page is missing, too long or not text
     */
    static PageDocument in(Path file, Optional<PageType> type) throws UnreadablePage {
        var known = type.or(() -> PageType.ofFile(String.valueOf(file.getFileName())));
        if (known.isEmpty()) {
            throw new UnreadablePage(
                    "has a name that does not show its type",
                    "--content-type with one of " + PageType.NAMES);
        }
        if (!Files.exists(file)) {
            throw new UnreadablePage("does not exist", "a file, or a URL with http or https");
        }
        if (!Files.isRegularFile(file)) {
            throw new UnreadablePage("is not a file", "a file, or a URL with http or https");
        }
        try (var stream = Files.newInputStream(file)) {
            var bytes = stream.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new PageTooLong();
            }
            return new PageDocument(text(bytes), known.get(), Optional.empty(), List.of());
        } catch (PageTooLong e) {
            throw e.asUnreadable();
        } catch (IOException e) {
            throw new UnreadablePage("cannot be read", "a readable file");
        }
    }

    /**
     * Fetches the page at {@code address} as a surrogate would, in at most ten seconds.
     *
     * @param deviceToken our name in {@code Surrogate-Capability}
     * @param contentTypes media types that are parsed
     * @throws UnreadablePage if the page is missing, too long or not text
     */
    static PageDocument at(URI address, String deviceToken, List<String> contentTypes)
            throws UnreadablePage, InterruptedException {
        var request =
                HttpRequest.newBuilder(address)
                        .header("Surrogate-Capability", deviceToken + "=\"Surrogate/1.0 ESI/1.0\"")
                        .header("Accept", "text/html, */*;q=0.1")
                        .build();
        var client =
                HttpClient.newBuilder()
                        .followRedirects(HttpClient.Redirect.NORMAL)
                        .connectTimeout(PATIENCE)
                        .build();
        try {
            var response =
                    client.sendAsync(request, head -> new LimitedBody(MAX_BYTES))
                            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return of(response, deviceToken, contentTypes);
        } catch (TimeoutException e) {
            throw new UnreadablePage(
                    "did not respond within " + PATIENCE.toSeconds() + " seconds", "a response");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PageTooLong tooLong
                    ? tooLong.asUnreadable()
                    : new UnreadablePage("did not respond", "a response");
        } finally {
            client.shutdownNow();
        }
    }

    private static PageDocument of(
            HttpResponse<byte[]> response, String deviceToken, List<String> contentTypes)
            throws UnreadablePage {
        if (response.statusCode() < 200 || response.statusCode() > 299) {
            throw new UnreadablePage(
                    "responded with status " + response.statusCode(), "status 200");
        }
        var coding = response.headers().firstValue("Content-Encoding").orElse("identity");
        if (!coding.equalsIgnoreCase("identity")) {
            throw new UnreadablePage("has a content coding that was not requested", "no coding");
        }
        var media = media(response.headers());
        var type = PageType.ofMedia(media);
        if (type.isEmpty()) {
            throw new UnreadablePage(
                    "has a Content-Type that is not text", "HTML, XML, text or JSON");
        }
        var findings = new ArrayList<Finding>();
        if (!SurrogateControl.of(fields(response.headers()), deviceToken).asksForEsi()) {
            findings.add(
                    Finding.ofPage(
                            "the response does not request ESI, so its tags are not processed",
                            "send Surrogate-Control: content=\"ESI/1.0\" with it"));
        }
        if (!contentTypes.contains(media)) {
            findings.add(
                    Finding.ofPage(
                            "the Content-Type of the response is not one that is parsed",
                            "add it to esi.content-types in the configuration"));
        }
        return new PageDocument(
                text(response.body()), type.get(), Optional.of(response.uri()), findings);
    }

    private static String media(HttpHeaders headers) {
        var type = headers.firstValue("Content-Type").orElse("");
        int parameters = type.indexOf(';');
        return (parameters < 0 ? type : type.substring(0, parameters))
                .strip()
                .toLowerCase(Locale.ROOT);
    }

    private static Fields fields(HttpHeaders headers) {
        var fields = new Fields.Builder();
        headers.map().forEach((name, values) -> values.forEach(value -> fields.add(name, value)));
        return fields.build();
    }

    /**
     * ESI tags can be recognised only in encodings in which ASCII characters are single bytes (§2).
     */
    private static byte[] text(byte[] bytes) throws UnreadablePage {
        for (int i = 0; i < Math.min(bytes.length, PROBE_BYTES); i++) {
            if (bytes[i] == 0) {
                throw new UnreadablePage(
                        "is not text in an encoding that contains ASCII",
                        "a page in UTF-8, ISO 8859-1 or similar");
            }
        }
        return bytes;
    }
}
