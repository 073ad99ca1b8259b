package dev.quire.test;

import static java.util.stream.Collectors.joining;

import dev.quire.core.http.Fields;
import dev.quire.test.internal.Part;
import dev.quire.test.wire.Content;
import dev.quire.test.wire.Request;
import dev.quire.test.wire.Response;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** A page as a reader got it, with its trace. Immutable. */
public final class Page {
    private final EsiSite site;
    private final Request asked;
    private final Response response;
    private final AssemblyTrace trace;

    Page(EsiSite site, Request asked, Response response, AssemblyTrace trace) {
        this.site = site;
        this.asked = asked;
        this.response = response;
        this.trace = trace;
    }

    /** The site it was requested from, as its reader's view. */
    public EsiSite site() {
        return site;
    }

    public Request asked() {
        return asked;
    }

    public int status() {
        return response.status();
    }

    public Fields headers() {
        return response.fields();
    }

    public String html() {
        return response.text();
    }

    /** {@code body} as text, in the charset of this page, of which it may be a part. */
    String text(Content body) {
        return response.with(response.fields(), body).text();
    }

    public Response response() {
        return response;
    }

    /** The text parsed like in a browser; a new tree for each call. */
    public Document dom() {
        return Jsoup.parse(html(), "http://" + asked.field("Host") + asked.target());
    }

    /**
     * The fragments of all levels, in request order.
     *
     * @throws AssertionError if the assembler does not report parts
     */
    public List<Fragment> fragments() {
        return parts().stream()
                .filter(part -> part.depth() > 0)
                .map(part -> new Fragment(this, part))
                .toList();
    }

    /**
     * The first fragment with this path, target (with a query) or handler name.
     *
     * @throws AssertionError if the page has none; the message names the existing ones
     */
    public Fragment fragment(String pathOrName) {
        var target = site.targetOf(pathOrName);
        return fragments().stream()
                .filter(fragment -> Targets.isMeant(target, fragment.target()))
                .findFirst()
                .orElseThrow(() ->
                        new AssertionError(
                                Failures.message(
                                        "a fragment %s of %s".formatted(pathOrName, asked.target()),
                                        "a fragment requested as " + target,
                                        fragments().isEmpty()
                                                ? "a page without fragments"
                                                : fragments().stream()
                                                        .map(Fragment::target)
                                                        .collect(joining(", ", "only ", "")),
                                        trace,
                                        noFragment())));
    }

    /**
     * The document of the page itself, without its fragments, as the application sent it.
     *
     * @throws AssertionError if the assembler does not report parts
     */
    public Fragment document() {
        return new Fragment(this, parts().getFirst());
    }

    List<Part> parts() {
        return trace.parts().orElseThrow(() -> new AssertionError(Failures.untold(trace)));
    }

    private String noFragment() {
        return status() / 100 == 2
                ? "check that the path is spelled as in the include, and that this reader's page has the include. docs/testing.md#no-such-fragment"
                : "the page itself has status " + status() + ": check that first";
    }

    public AssemblyTrace trace() {
        return trace;
    }

    @Override
    public String toString() {
        return asked.target() + " as received by " + site.user() + ": " + status();
    }
}
